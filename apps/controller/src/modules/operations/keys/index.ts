export { listEncryptedPlaces } from './encrypted-places.ts';
export { createReencryptJob } from './reencrypt-job.ts';
export { createKeyRoutes } from './routes.ts';
