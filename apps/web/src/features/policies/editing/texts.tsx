import type { ReactNode } from 'react';
import { count, plural } from '../../../ui/count.ts';

export const texts = {
  editTab: {
    question: (name: string) => `Save policy ${name}?`,
    done: (revision: string | number) => `Revision ${revision} is saved.`,
    restored: 'Your unsaved changes were restored.',
    rawKeysNotKept: 'Raw keys are never kept in the browser. Enter them again where the text says key: "".',
    storedMeanwhile: (by: ReactNode, revision: ReactNode) => (
      <>
        {by} saved revision {revision} while you were editing
      </>
    ),
    lookAtBoth: 'Compare',
    failed: 'Nothing was saved',
    nothingLost: 'Your changes are still here.',
    review: 'Review and save',
    discard: 'Discard',
    action: 'Save',
  },
  checkState: {
    whenChecked: 'Checked with the rules of the filter while you type',
    checking: 'Checking',
    accepted: 'Valid',
    refused: (errors: number) => `Invalid: ${count(errors, 'error')}`,
    show: 'Show',
    notChecked: 'Not checked',
  },
  policyFields: {
    form: {
      errors: (errors: number) => count(errors, 'error'),
      andMore: (rest: ReactNode) => <>and {rest} more</>,
      suggestions: (suggestions: number) => count(suggestions, 'possible mistake'),
      description: 'Description',
      descriptionHint: 'What the policy is for',
    },
    finding: {
      atLine: (line: ReactNode) => <>Line {line} </>,
    },
    rawKeys: {
      replaced: (keys: number) =>
        `Saving replaces ${plural(keys, 'it', 'each')} with its SHA-256, which cannot be reversed. Until then, the key exists only on this page and is lost if you reload.`,
      title: (keys: number) => `${count(keys, 'raw key')}: copy ${plural(keys, 'it', 'them')} before you save`,
      atLine: (line: ReactNode, subject: ReactNode) => (
        <>
          Line {line}
          {subject}
        </>
      ),
      keyOfLine: (line: string | number) => `the key in line ${line}`,
    },
  },
  policyFiles: {
    title: 'Files',
    add: 'Add a file',
    none: 'No files. The jwt engine reads its verification keys from files. Only files that the policy refers to are saved.',
    list: 'Files of the policy',
    bytes: (bytes: ReactNode) => <>{bytes} bytes</>,
    secretGiven: (time: ReactNode) => <>secret, set {time}: it cannot be read back, and saving keeps it</>,
    replace: 'Replace with another file',
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
    title: 'Template',
  },
  useLeaveGuard: {
    leave: 'Leave without saving? Unsaved raw keys and files are not kept in the browser.',
  },
  warnings: {
    findWarnings: {
      keysReplaced: (keys: number) =>
        `${count(keys, 'raw key is', 'raw keys are')} replaced with SHA-256 hashes, which cannot be reversed. Keep a copy.`,
    },
    compare: {
      hostDropped: 'is no longer covered by name: unless another entry matches, its requests are not checked.',
      failsOpen: 'An engine that fails internally allows requests from now on.',
    },
    lessGuarded: {
      onlyCounts: 'only counts from now on: nothing is blocked there.',
      engineGone: (names: string | number) => `is no longer protected by ${names}.`,
    },
  },
};
