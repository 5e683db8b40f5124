export { entryWords, resourceName } from './entry-words.ts';
export { OwnTimes } from './time-control.tsx';
export { around, fromLocalInput, isTime, toLocalInput } from './time-range.ts';
export { useArrivals } from './use-arrivals.ts';
