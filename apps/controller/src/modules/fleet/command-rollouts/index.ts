export { createRolloutJob } from './job.ts';
export { createCommandRolloutRoutes } from './routes.ts';
