export { toJobActor } from './actor.ts';
export { Jobs } from './jobs.ts';
export {
  type JobActor,
  type JobType,
  PermanentFailure,
  type StepContext,
  type StepResult,
  type TargetError,
} from './model.ts';
export { findNewestAbout, listNewestAbout } from './newest-store.ts';
export { findPermit } from './rights-store.ts';
export { Runner } from './runner.ts';
export { Scheduler } from './scheduler.ts';
export { JobTypes } from './types.ts';
export { JobWatch } from './watch.ts';
