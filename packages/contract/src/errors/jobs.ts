import { createFail } from './define.ts';

export const JOB_ERRORS = {
  'job.not_ended': { status: 409, message: 'The job has not ended ({status}). Cancel it first, or wait for its end.' },
  'job.ended': { status: 409, message: 'The job has ended ({status}); there is nothing to cancel.' },
  'job.not_dead': {
    status: 409,
    message: 'Only a job whose attempts are used up can be put back; this one is {status}.',
  },
  'job.busy': { status: 409, message: 'Job {number} does this already. Wait for its end, or cancel it.' },
  'job.unknown_type': { status: 409, message: 'This controller knows no jobs of type {type}.' },
  'job.params': { status: 409, message: 'The parameters of this job are not ones that this controller takes.' },
  'job.nothing_failed': { status: 409, message: 'There are no such targets that this job could be repeated for.' },
  'job.targets_left_out': {
    status: 409,
    message:
      'Of {count} such targets only the first {kept} are known still, and the rest would be left out. Repeat all of it.',
  },
  'job.forbidden': { status: 403, message: 'You may not do what this job does: {reason}.' },
  'schedule.invalid': { status: 400, message: 'The schedule is not valid: {reason}' },
} as const;

export const failJob = createFail(JOB_ERRORS);
