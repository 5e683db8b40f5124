export { readEventRecords } from './record-views.ts';
export { ShieldEventRecorder } from './recorder.ts';
export { createShieldEventRoutes } from './routes.ts';
