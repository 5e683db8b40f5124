export { type GivenPassword, groupMatcher, type LdapPerson } from './directory.ts';
export { LdapDirectory, trySignIn } from './service.ts';
