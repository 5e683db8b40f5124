export { listMemberships, SESSION_USER_COLUMNS, type SessionUser, toSessionUser } from './account-store.ts';
export { SignInAttempts } from './attempt-store.ts';
export { CsrfTokens } from './csrf.ts';
export { keepFirstPassword, watchFirstPassword } from './first-password-file.ts';
export { createFirstOwner, type FirstOwner } from './first-start.ts';
export { createLockoutRoutes } from './lockout-routes.ts';
export { openBearerSession, openBrowserSession } from './open-session.ts';
export { failWeakPassword } from './password-policy.ts';
export { hashPassword } from './passwords.ts';
export { createSessionRoutes } from './routes.ts';
export { SessionService } from './service.ts';
export {
  beganWithPasskey,
  endAllSessions,
  endOneSession,
  endSessions,
  findUsableRoles,
  listSessions,
  noteFactor,
} from './session-store.ts';
export type { GivenCode, OpenSession, PasswordRealms, SignedInBy, SignInPipeline } from './sign-in-pipeline.ts';
export { SignInPolicy } from './sign-in-policy.ts';
export { createSigningKeyRoutes } from './signing-key-routes.ts';
export { SigningKeys } from './signing-keys.ts';
export { AccessTokens } from './tokens.ts';
