import type { ReactNode } from 'react';

export const document = {
  changeList: {
    nothing: 'Nothing differs.',
    field: 'Field',
    before: 'Before',
    after: 'After',
  },
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
      changed: 'What changed',
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
  reached: {
    none: 'Reaches no node',
    whyNone: 'The service is deployed to no client: nothing that runs is touched.',
    nodes: (count: string | number, noun: string | number) => `Reaches ${count} ${noun}`,
  },
  restoreDialog: {
    done: (revision: string | number, newRevision: string | number) =>
      `Revision ${revision} is restored, as revision ${newRevision}.`,
    title: (revision: string | number) => `Restore revision ${revision}`,
    refused: 'It cannot be restored as it is',
    changes: 'What would change',
    alreadyLikeThat: 'The service is like that already',
    onlyAddsRevision: 'Restoring it would only add a revision.',
    changedMeanwhile: 'Somebody else has changed the service meanwhile',
    failed: 'It was not restored',
    restore: 'Restore',
  },
  revisionView: {
    title: (revision: string | number) => `Revision ${revision}`,
    show: 'Show',
    before: 'What it changed',
    current: 'Against the current one',
    whole: 'Whole',
    backToCurrent: 'Back to the current one',
    madeBy: (time: ReactNode, by: ReactNode) => (
      <>
        {time} by {by}
      </>
    ),
    code: (revision: string | number) => `revision ${revision}`,
    revisionBefore: (revision: string | number) => `Revision ${revision}`,
  },
};
