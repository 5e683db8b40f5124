import type { ReactNode } from 'react';
import { count, plural } from '../../ui/count.ts';

export const texts = {
  changeList: {
    kinds: {
      added: 'Added',
      removed: 'Removed',
      changed: 'Changed',
    },
    list: {
      nothing: 'No changes.',
      andMore: (rest: number) => `and ${rest} more`,
    },
    change: {
      wholeDocument: 'the whole document',
      private: '(private)',
    },
    value: {
      anchorShowLess: 'Show less',
      anchor: (characters: string | number) => `Show all ${characters} characters`,
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
        {beforeLabel} and {after} are identical.
      </>
    ),
    title: (beforeLabel: string | number, afterLabel: string | number) => `Difference: ${beforeLabel} to ${afterLabel}`,
    counts: (before: ReactNode, after: ReactNode, added: number, removed: number) => (
      <>
        {before} → {after} · <b>+{added}</b> added, <b>−{removed}</b> removed {plural(added + removed, 'line')}
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
      tooLarge: (asYaml: ReactNode) => (
        <>Too large to check while you type{asYaml}. The document is checked when you review it.</>
      ),
      jsonMayBeLarger: ' as YAML; JSON may be larger',
      none: 'No problems found',
      found: (errors: number, warnings: number) =>
        [errors > 0 && count(errors, 'error'), warnings > 0 && count(warnings, 'warning')].filter(Boolean).join(', '),
      show: (sign: ReactNode, words: ReactNode) => (
        <>
          {sign} {words}: show
        </>
      ),
    },
  },
  threeWayMerge: {
    merge: {
      fits: 'No conflicts',
      conflicts: (conflicts: number) => count(conflicts, 'conflict'),
      yoursKept: 'The result below contains your changes and theirs.',
      othersKept: 'All other changes are merged. Choose a version for each conflict, or edit the result by hand.',
      result: 'Result',
      editByHand: 'Edit by hand',
      backToChoices: 'Back to the choices',
      resultEditor: 'Merge result',
      resultInvalid: (message: string | number) => `The result has an error: ${message}`,
      stillOpen: (open: string | number, conflicts: string | number) => `${open} of ${conflicts} conflicts unresolved`,
      use: 'Use this result',
    },
    choice: {
      mine: 'Mine',
      theirs: 'Theirs',
      theirsOf: (theirsLabel: string | number) => `Theirs (${theirsLabel})`,
      base: 'Original',
    },
    sideValue: {
      missing: 'not set',
    },
  },
};
