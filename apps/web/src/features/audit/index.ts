export { holdBack } from './arrivals.ts';
export { actionWords, resourceName } from './entry-words.ts';
export { OwnTimes } from './time-control.tsx';
export { isTime } from './time-range.ts';
