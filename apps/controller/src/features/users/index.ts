export { listAdministeredAlone } from './administrator-store.ts';
export { requireSession, type SessionActor } from './model.ts';
export { createUserRoutes } from './routes.ts';
export { createUserSessionRoutes } from './session-routes.ts';
export { hasOwner, insertMembership, lockOwners } from './store.ts';
