export { createJobRoutes, toJobActor } from './routes.ts';
export { createScheduleRoutes } from './schedule-routes.ts';
