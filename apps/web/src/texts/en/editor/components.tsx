import type { ReactNode } from 'react';

export const components = {
  changeList: {
    kinds: {
      added: 'Added',
      removed: 'Removed',
      changed: 'Changed',
    },
    list: {
      nothing: 'Nothing changes.',
    },
    change: {
      wholeDocument: 'the whole document',
      private: '(private)',
    },
    value: {
      anchorShowLess: 'Show less',
      anchor: (count: string | number) => `Show all ${count} characters`,
    },
  },
  codeEditor: {
    keys: (part: ReactNode) => <>{part}Control F searches.</>,
    readOnly: 'Read only. ',
    tabIndents:
      'Tab indents. Press Escape, then Tab, to leave the editor. Control Space suggests, Shift Alt F formats, F8 goes to the next problem. ',
  },
  diffView: {
    same: (beforeLabel: ReactNode, part: ReactNode) => (
      <>
        {beforeLabel} and {part} are the same.
      </>
    ),
    title: (beforeLabel: string | number, afterLabel: string | number) => `Difference: ${beforeLabel} to ${afterLabel}`,
    counts: (span: ReactNode, span2: ReactNode, b: ReactNode, b2: ReactNode, part: ReactNode) => (
      <>
        {span} → {span2} · {b} added, {b2} removed {part}
      </>
    ),
    showAll: 'Show all lines',
    changesOnly: 'Changes only',
    previousKey: 'Alt ↑',
    previous: 'Previous change',
    nextKey: 'Alt ↓',
    next: 'Next change',
    before: 'Before',
    after: 'After',
  },
  documentEditor: {
    title: 'Document',
  },
  policyEditor: {
    title: 'Security policy',
  },
  schemaEditor: {
    bar: {
      search: 'Search',
      format: 'Format',
    },
    problems: {
      tooLarge: (part: ReactNode) => <>Too large to check while typing{part}. It is checked when you review it.</>,
      jsonMayBeLarger: ' as YAML; JSON may be larger',
      none: 'No problems found',
      show: (part: ReactNode, words: ReactNode) => (
        <>
          {part} {words}: show
        </>
      ),
    },
  },
  threeWayMerge: {
    merge: {
      fits: 'Both changes fit together',
      conflicts: (count: string | number, part: string | number) => `${count} ${part} changed by both`,
      yoursKept: 'Your changes and theirs are in the result below. Nothing was overwritten.',
      othersKept:
        'All other changes of both are merged already. Choose what stands in each place, or edit the result by hand.',
      result: 'Result',
      editByHand: 'Edit by hand',
      backToChoices: 'Back to the choices',
      resultEditor: 'Result of the merge',
      resultInvalid: (message: string | number) => `The result has an error: ${message}`,
      stillOpen: (open: string | number, count: string | number) => `${open} of ${count} still to choose`,
      use: 'Use this result',
    },
    choice: {
      mine: 'Mine',
      theirs: 'Theirs',
      theirsOf: (theirsLabel: string | number) => `Theirs (${theirsLabel})`,
      base: 'As it was',
    },
    sideValue: {
      missing: 'not there',
    },
  },
};
