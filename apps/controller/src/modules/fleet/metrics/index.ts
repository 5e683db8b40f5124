export { MetricsRecorder } from './recorder.ts';
