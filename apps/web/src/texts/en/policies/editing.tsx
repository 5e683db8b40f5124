import type { ReactNode } from 'react';

export const editing = {
  editTab: {
    question: (name: string) => `Save policy ${name}?`,
    done: (revision: string | number) => `Revision ${revision} is stored.`,
    title: 'What you typed before is still here, not saved yet.',
    noticeRawKeys: 'Raw keys are never kept in the browser: type them again where the text says key: "".',
    text: (bdi: ReactNode, revision: ReactNode) => (
      <>
        {bdi} has stored revision {revision} meanwhile
      </>
    ),
    button: 'Look at both',
    what: 'Nothing was saved',
    still: 'Nothing you typed is lost.',
    buttonReviewSave: 'Review and save',
    buttonDiscard: 'Discard',
    action: 'Save',
    beforeLabel: (baseRevision: string | number) => `Revision ${baseRevision}`,
  },
  policyFields: {
    policyFields: {
      titleOneThing: 'One thing to mend',
      title: (count: string | number) => `${count} things to mend`,
      item: (part: ReactNode) => <>and {part} more</>,
      summaryOneThing: 'One thing looks like a mistake',
      summary: (count: string | number) => `${count} things look like mistakes`,
      label: 'Description',
      description: 'What it is for, for those who find it later',
    },
    finding: {
      strong: (line: ReactNode) => <>Line {line} </>,
    },
    checkState: {
      text: "Checked by the filter's own rules while you type",
      word: 'Checking',
      wordFilterWould: 'The filter would take it',
      wordFilterWouldRefuse: (count: string | number, part: string | number) =>
        `The filter would refuse it: ${count} ${part}`,
      wordNotChecked: 'Not checked',
    },
    rawKeys: {
      replaced: (keys: number) =>
        `Saving replaces ${keys === 1 ? 'it by its' : 'each by its'} SHA-256; nobody can read it back. Until then it is in this page alone: a reload forgets it.`,
      titleOneRaw: 'One raw key: copy it before you save',
      title: (count: string | number) => `${count} raw keys: copy them before you save`,
      text: (line: ReactNode, subject: ReactNode) => (
        <>
          Line {line}
          {subject}
        </>
      ),
      what: (line: string | number) => `the key of line ${line}`,
    },
  },
  policyFiles: {
    title: 'Files',
    button: 'Add a file',
    text: 'None. Keys that tokens are verified with (engine jwt) stand in files; a file is only taken where the policy names it.',
    ariaLabel: 'Files of the policy',
    textBytes: (count: ReactNode) => <>{count} bytes</>,
    textSecretGiven: (time: ReactNode) => (
      <>secret, given {time}: nobody can read it back, and it is kept when you save</>
    ),
    label: 'Replace by another file',
    ariaLabelReplace: (path: string | number) => `Replace ${path}`,
    labelRemove: 'Remove',
    ariaLabelRemove: (path: string | number) => `Remove ${path}`,
    what: 'The file could not be read',
  },
  policyViews: {
    ariaLabel: 'View',
    labelBoth: 'Form and text',
    labelForm: 'Form',
    labelText: 'Text',
  },
  starterChoice: {
    ariaLabel: 'Begin with',
  },
  useLeaveGuard: {
    leave: 'Leave without saving? Raw keys and files that were not saved are not kept in the browser.',
  },
  warnings: {
    findWarnings: {
      message: (part: string | number) =>
        `${part} replaced by the SHA-256 of it. Nobody can read it back: keep a copy.`,
      textOneRaw: 'One raw key is',
      text: (replacedKeys: string | number) => `${replacedKeys} raw keys are`,
    },
    compare: {
      message: 'is no longer covered by name: unless another entry fits, its requests pass unchecked.',
      messageEngineFails: 'An engine that fails inside lets requests pass from now on.',
    },
    lessGuarded: {
      message: 'only counts from now on: nothing is blocked there any more.',
      messageNoLonger: (names: string | number) => `is no longer guarded by ${names}.`,
    },
  },
};
