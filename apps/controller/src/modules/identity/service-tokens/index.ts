export { createServiceTokenRoutes } from './routes.ts';
export { createZoneSecretRoutes } from './zone-routes.ts';
export { verifyZoneSignature } from './zone-signature.ts';
