export { listMemberships } from './account.ts';
export { SignInAttempts } from './attempts.ts';
export { CsrfTokens } from './csrf.ts';
export { createFirstOwner, type FirstOwner } from './first-start.ts';
export { openBearerSession, openBrowserSession } from './open-session.ts';
export { judgePassword } from './password-policy.ts';
export { hashPassword } from './passwords.ts';
export { createSessionRoutes } from './routes.ts';
export {
  endSessions,
  forgetOldSessions,
  listSessions,
  SessionService,
  type SessionUser,
} from './service.ts';
export type { GivenCode, OpenSession, SignedInBy, SignInPipeline } from './sign-in-pipeline.ts';
export { TokenSigner } from './tokens.ts';
