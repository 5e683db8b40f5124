export { createShieldTrialRoutes } from './routes.ts';
export { TrialThreads } from './trial-threads.ts';
