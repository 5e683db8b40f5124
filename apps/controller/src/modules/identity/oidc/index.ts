export { Flows } from './flow.ts';
export { Providers } from './providers.ts';
export { createProviderRecheckJob } from './recheck.ts';
export { createOidcRoutes } from './routes.ts';
export { OidcSignIn } from './sign-in.ts';
