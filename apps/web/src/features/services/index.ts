export { lookOf } from './health.ts';
export { describeService } from './status.ts';
