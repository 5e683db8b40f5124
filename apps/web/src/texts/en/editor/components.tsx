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
    keys: (howToLeave: ReactNode) => <>{howToLeave}Control F searches.</>,
    readOnly: 'Read only. ',
    tabIndents:
      'Tab indents. Press Escape, then Tab, to leave the editor. Control Space suggests, Shift Alt F formats, F8 goes to the next problem. ',
  },
  diffView: {
    same: (beforeLabel: ReactNode, after: ReactNode) => (
      <>
        {beforeLabel} and {after} are the same.
      </>
    ),
    title: (beforeLabel: string | number, afterLabel: string | number) => `Difference: ${beforeLabel} to ${afterLabel}`,
    counts: (before: ReactNode, after: ReactNode, added: ReactNode, removed: ReactNode, lines: ReactNode) => (
      <>
        {before} → {after} · {added} added, {removed} removed {lines}
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
      tooLarge: (asYaml: ReactNode) => <>Too large to check while typing{asYaml}. It is checked when you review it.</>,
      jsonMayBeLarger: ' as YAML; JSON may be larger',
      none: 'No problems found',
      show: (sign: ReactNode, words: ReactNode) => (
        <>
          {sign} {words}: show
        </>
      ),
    },
  },
  threeWayMerge: {
    merge: {
      fits: 'Both changes fit together',
      conflicts: (count: string | number, places: string | number) => `${count} ${places} changed by both`,
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
