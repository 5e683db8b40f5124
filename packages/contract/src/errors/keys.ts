import { createFail } from './define.ts';

/** Errors of the keys that encrypt secrets. */
export const KEY_ERRORS = {
  'keys.not_read': {
    status: 503,
    message: 'A key has just changed and is being loaded. Try again in a second.',
  },
  'keys.master_changing': {
    status: 409,
    message: 'The previous master key opens the database until {until}. Rotate data keys after that.',
  },
  'keys.master_in_file': {
    status: 400,
    message: 'The master key is stored in a key file, and the controller makes the new one. Leave master_key out.',
  },
  'keys.master_outside': {
    status: 400,
    message:
      'The master key comes from SVC_MASTER_KEY. Send the new one as master_key, and set SVC_MASTER_KEY to it before the next start.',
  },
  'keys.master_invalid': { status: 400, message: 'master_key is not valid: {reason}.' },
} as const;

export const failKeys = createFail(KEY_ERRORS);
