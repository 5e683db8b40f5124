export { createJobRoutes } from './routes.ts';
export { createScheduleRoutes } from './schedule-routes.ts';
