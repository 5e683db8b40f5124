import type { ReactNode } from 'react';

export const editing = {
  editTab: {
    question: (name: string) => `Save policy ${name}?`,
    done: (revision: string | number) => `Revision ${revision} is stored.`,
    restored: 'What you typed before is still here, not saved yet.',
    rawKeysNotKept: 'Raw keys are never kept in the browser: type them again where the text says key: "".',
    storedMeanwhile: (by: ReactNode, revision: ReactNode) => (
      <>
        {by} has stored revision {revision} meanwhile
      </>
    ),
    lookAtBoth: 'Look at both',
    failed: 'Nothing was saved',
    nothingLost: 'Nothing you typed is lost.',
    review: 'Review and save',
    discard: 'Discard',
    action: 'Save',
    beforeLabel: (baseRevision: string | number) => `Revision ${baseRevision}`,
  },
  checkState: {
    whenChecked: "Checked by the filter's own rules while you type",
    checking: 'Checking',
    accepted: 'The filter would take it',
    refused: (count: string | number, noun: string | number) => `The filter would refuse it: ${count} ${noun}`,
    show: 'Show',
    notChecked: 'Not checked',
  },
  policyFields: {
    form: {
      oneToMend: 'One thing to mend',
      toMend: (count: string | number) => `${count} things to mend`,
      andMore: (rest: ReactNode) => <>and {rest} more</>,
      oneSuggestion: 'One thing looks like a mistake',
      suggestions: (count: string | number) => `${count} things look like mistakes`,
      description: 'Description',
      descriptionHint: 'What it is for, for those who find it later',
    },
    finding: {
      atLine: (line: ReactNode) => <>Line {line} </>,
    },
    rawKeys: {
      replaced: (keys: number) =>
        `Saving replaces ${keys === 1 ? 'it by its' : 'each by its'} SHA-256; nobody can read it back. Until then it is in this page alone: a reload forgets it.`,
      oneTitle: 'One raw key: copy it before you save',
      title: (count: string | number) => `${count} raw keys: copy them before you save`,
      atLine: (line: ReactNode, subject: ReactNode) => (
        <>
          Line {line}
          {subject}
        </>
      ),
      keyOfLine: (line: string | number) => `the key of line ${line}`,
    },
  },
  policyFiles: {
    title: 'Files',
    add: 'Add a file',
    none: 'None. Keys that tokens are verified with (engine jwt) stand in files; a file is only taken where the policy names it.',
    list: 'Files of the policy',
    bytes: (count: ReactNode) => <>{count} bytes</>,
    secretGiven: (time: ReactNode) => <>secret, given {time}: nobody can read it back, and it is kept when you save</>,
    replace: 'Replace by another file',
    replaceFile: (path: string | number) => `Replace ${path}`,
    remove: 'Remove',
    removeFile: (path: string | number) => `Remove ${path}`,
    failed: 'The file could not be read',
  },
  policyViews: {
    view: 'View',
    both: 'Form and text',
    form: 'Form',
    text: 'Text',
  },
  starterChoice: {
    title: 'Begin with',
  },
  useLeaveGuard: {
    leave: 'Leave without saving? Raw keys and files that were not saved are not kept in the browser.',
  },
  warnings: {
    findWarnings: {
      keysReplaced: (keys: string | number) =>
        `${keys} replaced by the SHA-256 of it. Nobody can read it back: keep a copy.`,
      oneRawKey: 'One raw key is',
      rawKeys: (replacedKeys: string | number) => `${replacedKeys} raw keys are`,
    },
    compare: {
      hostDropped: 'is no longer covered by name: unless another entry fits, its requests pass unchecked.',
      failsOpen: 'An engine that fails inside lets requests pass from now on.',
    },
    lessGuarded: {
      onlyCounts: 'only counts from now on: nothing is blocked there any more.',
      engineGone: (names: string | number) => `is no longer guarded by ${names}.`,
    },
  },
};
