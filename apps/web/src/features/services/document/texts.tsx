import type { ReactNode } from 'react';

export const texts = {
  code: {
    format: 'Format',
    yaml: 'YAML',
    json: 'JSON',
  },
  documentTab: {
    title: (revision: string | number) => `Document, revision ${revision}`,
    code: 'document',
    restoreThis: 'Restore this revision …',
    history: 'History',
  },
  history: {
    list: {
      failed: 'The history could not be loaded',
      title: 'History',
      revision: 'Revision',
      when: 'When',
      who: 'Who',
      changed: 'Changes',
      actions: 'Actions',
      restore: 'Restore …',
      older: 'Older revisions',
    },
    describe: {
      created: 'Created',
      nothing: 'Nothing',
      andMore: (rest: string | number) => ` and ${rest} more`,
    },
  },
  restoreDialog: {
    done: (revision: string | number, newRevision: string | number) =>
      `Revision ${revision} restored as revision ${newRevision}.`,
    title: (revision: string | number) => `Restore revision ${revision}`,
    refused: 'This revision cannot be restored',
    alreadyLikeThat: 'Nothing to restore',
    onlyAddsRevision: 'The service already matches this revision.',
    changedMeanwhile: 'Someone else has changed the service',
    failed: 'The revision was not restored',
    restore: 'Restore',
  },
  revisionView: {
    title: (revision: string | number) => `Revision ${revision}`,
    show: 'Show',
    before: 'Changes',
    current: 'Compare with current',
    whole: 'Full text',
    backToCurrent: 'Back to current',
    madeBy: (time: ReactNode, by: ReactNode) => (
      <>
        {time} by {by}
      </>
    ),
    code: (revision: string | number) => `revision ${revision}`,
    revisionBefore: (revision: string | number) => `Revision ${revision}`,
  },
};
