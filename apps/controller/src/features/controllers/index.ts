export { Leadership, type Leading } from './leadership.ts';
export { ControllerPresence } from './presence.ts';
export { CONTROLLER_SILENCE_MAX_MS } from './presence-store.ts';
export { createControllerRoutes } from './routes.ts';
