import { createFail } from './define.ts';

/** Errors of requests that are tried and replayed. */
export const TRIAL_ERRORS = {
  'trial.busy': { status: 503, message: 'As many requests as fit are being tried already. Try again in a moment.' },
  'trial.too_slow': {
    status: 422,
    message: 'This took longer than {seconds} seconds and was given up. Try less at once, or a smaller policy.',
  },
  'trial.too_large': {
    status: 422,
    message: 'This needed more memory than a trial may have and was given up. Try less at once, or a smaller policy.',
  },
} as const;

export const failTrial = createFail(TRIAL_ERRORS);
