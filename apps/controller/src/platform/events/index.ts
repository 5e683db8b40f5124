export { EventStream, toFrame } from './event-stream.ts';
export { findListenerRights } from './listener-rights-store.ts';
export { LiveEvents } from './live-events.ts';
export type { News } from './model.ts';
export { createEventRoutes } from './routes.ts';
