export type { EventSource } from './events/index.ts';
export { createTrafficReader } from './policy-drafts/index.ts';
export {
  clockOffset,
  countLatencies,
  lastFullMinute,
  latencyOfWindow,
  problemsSince,
  readServiceMinutes,
  sumWindow,
  TrafficRecorder,
  trafficReasons,
  type WindowSums,
} from './series/index.ts';
