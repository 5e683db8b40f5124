export { createStorageRoutes } from './routes.ts';
export { startSampling } from './sampling.ts';
