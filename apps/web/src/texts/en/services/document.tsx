import type { ReactNode } from 'react';

export const document = {
  changeList: {
    text: 'Nothing differs.',
    head: 'Field',
    headBefore: 'Before',
    headAfter: 'After',
  },
  code: {
    ariaLabel: 'Format',
    labelYaml: 'YAML',
    labelJson: 'JSON',
  },
  documentTab: {
    title: (revision: string | number) => `Document, revision ${revision}`,
    label: 'document',
    button: 'Restore this revision …',
    titleHistory: 'History',
  },
  history: {
    history: {
      what: 'The history could not be loaded',
      ariaLabel: 'History',
      head: 'Revision',
      headWhen: 'When',
      headWho: 'Who',
      headChanged: 'What changed',
      text: 'Actions',
      button: 'Restore …',
      buttonOlderRevisions: 'Older revisions',
    },
    describe: {
      textCreated: 'Created',
      textNothing: 'Nothing',
      text: (part: string | number) => ` and ${part} more`,
    },
  },
  reached: {
    title: 'Reaches no node',
    notice: 'The service is deployed to no client: nothing that runs is touched.',
    titleReaches: (count: string | number, part: string | number) => `Reaches ${count} ${part}`,
    noticeMore: (part: string | number) => ` and ${part} more`,
  },
  restoreDialog: {
    done: (revision: string | number, revision2: string | number) =>
      `Revision ${revision} is restored, as revision ${revision2}.`,
    title: (revision: string | number) => `Restore revision ${revision}`,
    what: 'It cannot be restored as it is',
    label: 'What would change',
    titleServiceLike: 'The service is like that already',
    notice: 'Restoring it would only add a revision.',
    whatSomebodyElse: 'Somebody else has changed the service meanwhile',
    whatNotRestored: 'It was not restored',
    button: 'Cancel',
    buttonRestore: 'Restore',
  },
  revisionView: {
    title: (revision: string | number) => `Revision ${revision}`,
    ariaLabel: 'Show',
    labelBefore: 'What it changed',
    labelCurrent: 'Against the current one',
    labelWhole: 'Whole',
    button: 'Back to the current one',
    text: (time: ReactNode, bdi: ReactNode) => (
      <>
        {time} by {bdi}
      </>
    ),
    label: (revision: string | number) => `revision ${revision}`,
    what: (part: string | number) => `Revision ${part}`,
  },
};
