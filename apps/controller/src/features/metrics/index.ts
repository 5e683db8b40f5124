export { forgetOldSeries } from './prune.ts';
export { MetricsRecorder } from './recorder.ts';
export { createMetricsRoutes } from './routes.ts';
