export { LiveEvents } from './live-events.ts';
export { createEventRoutes } from './routes.ts';
