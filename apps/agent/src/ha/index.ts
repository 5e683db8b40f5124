export type { HaOrder, OrderProblem } from './daemon-watch.ts';
export { type HaControl, HaMember } from './ha-member.ts';
export { toResult } from './member-report.ts';
export { haPlaces } from './places.ts';
