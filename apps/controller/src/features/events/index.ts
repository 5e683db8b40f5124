export { EventStream, toFrame } from './event-stream.ts';
export { LiveEvents } from './live-events.ts';
export { createEventRoutes } from './routes.ts';
export { findStandings } from './standing-store.ts';
