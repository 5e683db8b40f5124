import { createFail } from './define.ts';

export const JOB_ERRORS = {
  'job.not_ended': {
    status: 409,
    message: 'The job has not ended ({status}). Cancel it first, or wait until it ends.',
  },
  'job.ended': { status: 409, message: 'The job has ended ({status}); there is nothing to cancel.' },
  'job.not_dead': {
    status: 409,
    message: 'Only a dead job can be put back; this one is {status}.',
  },
  'job.busy': { status: 409, message: 'Job {number} is already doing this. Wait until it ends, or cancel it.' },
  'job.unknown_type': { status: 409, message: 'This controller does not know the job type {type}.' },
  'job.params': { status: 409, message: 'This controller does not accept the parameters of this job.' },
  'job.nothing_failed': { status: 409, message: 'There are no such targets for which this job could be repeated.' },
  'job.targets_left_out': {
    status: 409,
    message:
      'Only the first {kept} of {count} such targets are still known, and the rest would be left out. Repeat the whole job.',
  },
  'job.forbidden': { status: 403, message: 'You may not do what this job does: {reason}.' },
  'schedule.invalid': { status: 400, message: 'The schedule is not valid: {reason}' },
} as const;

export const failJob = createFail(JOB_ERRORS);
