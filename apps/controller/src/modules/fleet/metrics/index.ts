export { toNodeFields } from './node-fields.ts';
export { listNodes } from './policy-node-store.ts';
export { MetricsRecorder } from './recorder.ts';
