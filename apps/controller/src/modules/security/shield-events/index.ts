export { readEventRecords } from './record-views.ts';
export { ShieldEventRecorder } from './recorder.ts';
