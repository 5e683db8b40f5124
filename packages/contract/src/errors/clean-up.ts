import { createFail } from './define.ts';

export const CLEAN_UP_ERRORS = {
  'clean_up.changed': {
    status: 409,
    message: 'The effect of the clean-up has changed since the preview. Review the new preview.',
  },
  'clean_up.blocked': {
    status: 409,
    message: 'Nothing was deleted: version {version} is still in use. {name} ({kind}): {reason}.',
  },
  'clean_up.name_taken': {
    status: 409,
    message: 'Nothing was restored, because there is another {name} ({kind}) now. Rename or delete it, then try again.',
  },
  'clean_up.not_possible': {
    status: 409,
    message: 'Nothing was restored, because {name} ({kind}) is no longer valid. {reason}',
  },
} as const;

export const failCleanUp = createFail(CLEAN_UP_ERRORS);
