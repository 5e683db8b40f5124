import { createFail } from './define.ts';

/** Errors of trials and replays. */
export const TRIAL_ERRORS = {
  'trial.busy': { status: 503, message: 'Too many trials are running. Try again in a moment.' },
  'trial.too_slow': {
    status: 422,
    message: 'The trial took longer than {seconds} seconds and was stopped. Try less at once, or a smaller policy.',
  },
  'trial.too_large': {
    status: 422,
    message: 'The trial exceeded its memory limit and was stopped. Try less at once, or a smaller policy.',
  },
} as const;

export const failTrial = createFail(TRIAL_ERRORS);
