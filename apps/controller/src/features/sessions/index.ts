export { listMemberships, SESSION_USER_COLUMNS, toSessionUser } from './account.ts';
export { boundAttempts, SignInAttempts } from './attempts.ts';
export { CsrfTokens } from './csrf.ts';
export { keepFirstPassword, watchFirstPassword } from './first-password-file.ts';
export { createFirstOwner, type FirstOwner } from './first-start.ts';
export { openBearerSession, openBrowserSession } from './open-session.ts';
export { failWeakPassword } from './password-policy.ts';
export { hashPassword } from './passwords.ts';
export { createSessionRoutes } from './routes.ts';
export { SessionService, type SessionUser } from './service.ts';
export {
  beganWithPasskey,
  endAllSessions,
  endOneSession,
  endSessions,
  forgetOldSessions,
  listSessions,
} from './session-store.ts';
export { createSignInBlockRoutes } from './sign-in-block-routes.ts';
export type { GivenCode, OpenSession, PasswordRealms, SignedInBy, SignInPipeline } from './sign-in-pipeline.ts';
export { SignInPolicy } from './sign-in-policy.ts';
export { createSigningKeyRoutes } from './signing-key-routes.ts';
export { SigningKeys } from './signing-keys.ts';
export { AccessTokens } from './tokens.ts';
