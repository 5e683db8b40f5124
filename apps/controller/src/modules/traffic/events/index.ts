export { composeTrafficEvents } from './compose.ts';
export type { EventSource } from './source.ts';
