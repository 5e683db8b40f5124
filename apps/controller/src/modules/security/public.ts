export { ShieldEventRecorder } from './shield-events/index.ts';
