export { Admission } from './admission.ts';
export { findRealmOf } from './identity-store.ts';
export { rolesOf } from './mapping.ts';
export { DirectoryRealms } from './password-realms.ts';
export { createRecheckJob } from './recheck.ts';
export { createDirectoryRoutes } from './routes.ts';
