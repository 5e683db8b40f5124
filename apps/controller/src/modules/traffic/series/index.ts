export { clockOffset, problemsSince, trafficReasons } from './health-views.ts';
export { countLatencies, latencyOfWindow, sumWindow, type WindowSums } from './model/window.ts';
export { TrafficMetrics } from './prometheus.ts';
export { TrafficRecorder } from './recorder.ts';
export { TrafficRollUp } from './roll-up.ts';
export { lastFullMinute, readServiceMinutes } from './window-views.ts';
