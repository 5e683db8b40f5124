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
} as const;

export const failCleanUp = createFail(CLEAN_UP_ERRORS);
