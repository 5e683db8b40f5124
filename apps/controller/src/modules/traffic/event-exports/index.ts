export { noteArrivals } from './arrival-store.ts';
export { startEventExports } from './compose.ts';
