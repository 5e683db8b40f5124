export { Admission } from './admission.ts';
export { findRealmOf } from './identity-store.ts';
export { rolesOf } from './mapping.ts';
export { isTooManyMissing, settleMissing } from './missing.ts';
export { DirectoryRealms } from './password-realms.ts';
export { createRealmFollowUp } from './realm-off.ts';
export { createRecheckJob } from './recheck.ts';
export { listPresent, lockUnseen, type Present } from './recheck-store.ts';
export { createDirectoryRoutes } from './routes.ts';
