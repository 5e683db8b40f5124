export { forgetOldEvents } from './prune-store.ts';
export { ShieldEventRecorder } from './recorder.ts';
export { createShieldEventRoutes } from './routes.ts';
