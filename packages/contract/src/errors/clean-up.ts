import { createFail } from './define.ts';

/** Deleting what a project has of a retired proxy version. */
export const CLEAN_UP_ERRORS = {
  'clean_up.changed': {
    status: 409,
    message: 'What the clean-up would delete has changed since the preview. Look at the new preview.',
  },
  'clean_up.blocked': {
    status: 409,
    message: 'Nothing was deleted: version {version} is still in use. {name} ({kind}): {reason}.',
  },
  'clean_up.name_taken': {
    status: 409,
    message: 'Nothing was brought back: there is another {name} ({kind}) now. Rename or delete it, then try again.',
  },
  'clean_up.not_possible': {
    status: 409,
    message: 'Nothing was brought back: {name} ({kind}) does not fit any more. {reason}',
  },
} as const;

export const failCleanUp = createFail(CLEAN_UP_ERRORS);
