export { DeleteSchedule } from './delete-schedule.tsx';
export { isOver } from './job-model.ts';
export { JobProgress } from './job-state.tsx';
