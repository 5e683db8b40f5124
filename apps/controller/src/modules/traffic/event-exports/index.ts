export { type Arrival, noteArrivals } from './arrival-store.ts';
export { startEventExports } from './compose.ts';
