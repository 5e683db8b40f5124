export { MetricsRecorder } from './recorder.ts';
export { createMetricsRoutes } from './routes.ts';
