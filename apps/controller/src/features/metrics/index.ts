export { forgetOldSeries } from './prune-store.ts';
export { parseSpan } from './range.ts';
export { MetricsRecorder } from './recorder.ts';
export { createMetricsRoutes } from './routes.ts';
