export { Jobs } from './jobs.ts';
export type { JobType } from './model.ts';
export { findRefusal } from './rights-store.ts';
export { createJobRoutes } from './routes.ts';
export { Runner } from './runner.ts';
export { JobTypes } from './types.ts';
export { JobWatch } from './watch.ts';
