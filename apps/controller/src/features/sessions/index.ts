export { listMemberships } from './account.ts';
export { CsrfTokens } from './csrf.ts';
export { createFirstOwner, type FirstOwner } from './first-start.ts';
export { judgePassword } from './password-policy.ts';
export { hashPassword } from './passwords.ts';
export { createSessionRoutes } from './routes.ts';
export {
  endSessions,
  forgetOldSessions,
  listSessions,
  SessionService,
} from './service.ts';
export { TokenSigner } from './tokens.ts';
