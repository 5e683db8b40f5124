export { createResealJob } from './reseal-job.ts';
export { createKeyRoutes } from './routes.ts';
