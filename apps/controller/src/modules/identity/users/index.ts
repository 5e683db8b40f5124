export { listAdministeredAlone } from './administrator-store.ts';
export { createInvitationRoutes } from './invitation-routes.ts';
export { requireSession, type SessionActor } from './model.ts';
export { createUserRoutes } from './routes.ts';
export { createUserSessionRoutes } from './session-routes.ts';
export { hasOwner, lockOwners } from './store.ts';
