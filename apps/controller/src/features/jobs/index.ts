export { findNextRun } from './cron.ts';
export { Jobs } from './jobs.ts';
export {
  type JobActor,
  type JobType,
  PermanentFailure,
  type StepContext,
  type StepResult,
  type TargetError,
} from './model.ts';
export { forgetOldJobs } from './prune-store.ts';
export { findPermit } from './rights-store.ts';
export { createJobRoutes, toJobActor } from './routes.ts';
export { Runner } from './runner.ts';
export { createScheduleRoutes, SCHEDULES_MAX } from './schedule-routes.ts';
export { countSchedules, writeSchedule } from './schedule-store.ts';
export { Scheduler } from './scheduler.ts';
export { JobTypes } from './types.ts';
export { JobWatch } from './watch.ts';
