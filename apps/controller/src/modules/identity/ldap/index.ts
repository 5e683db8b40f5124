export { type GivenPassword, groupMatcher } from './directory.ts';
export type { LdapPerson } from './person.ts';
export { LdapDirectory, trySignIn } from './service.ts';
