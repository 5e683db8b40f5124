export { createCleanUpRoutes } from './routes.ts';
export { forgetCleaned } from './shelf-store.ts';
