export { composeTrafficEvents } from './compose.ts';
export { hasMark } from './filter.ts';
export { Question } from './question.ts';
export type { EventSource } from './source.ts';
export { parseWindow } from './window.ts';
