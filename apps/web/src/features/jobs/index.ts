export { isOver } from './job-model.ts';
export { JobProgress } from './job-state.tsx';
