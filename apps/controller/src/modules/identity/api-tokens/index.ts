export { createApiTokenRoutes } from './routes.ts';
export { TokenPolicy } from './token-policy.ts';
