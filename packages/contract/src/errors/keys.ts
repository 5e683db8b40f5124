import { createFail } from './define.ts';

/** Errors of the keys that secrets are sealed with. */
export const KEY_ERRORS = {
  'keys.not_read': {
    status: 503,
    message: 'A key was changed a moment ago and is being read. Try again in a second.',
  },
  'keys.master_changing': {
    status: 409,
    message: 'The master key of before opens the database until {until}. Rotate data keys after that.',
  },
  'keys.master_in_file': {
    status: 400,
    message: 'The master key lies in a key file, and the controller makes the new one: leave master_key out.',
  },
  'keys.master_outside': {
    status: 400,
    message:
      'The master key comes from SVC_MASTER_KEY: give the new one as master_key, and start with it from then on.',
  },
  'keys.master_invalid': { status: 400, message: 'master_key is not valid: {reason}.' },
} as const;

export const failKeys = createFail(KEY_ERRORS);
