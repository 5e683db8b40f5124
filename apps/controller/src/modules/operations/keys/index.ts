export { createResealJob } from './reseal-job.ts';
export { createKeyRoutes } from './routes.ts';
export { listSealedPlaces } from './sealed-places.ts';
