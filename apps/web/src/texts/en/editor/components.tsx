import type { ReactNode } from 'react';

export const components = {
  changeList: {
    words: {
      word: 'Added',
      wordRemoved: 'Removed',
      wordChanged: 'Changed',
    },
    changeList: {
      text: 'Nothing changes.',
    },
    change: {
      textWholeDocument: 'the whole document',
      text: '(private)',
    },
    value: {
      anchorShowLess: 'Show less',
      anchor: (count: string | number) => `Show all ${count} characters`,
    },
  },
  codeEditor: {
    visuallyHidden: (part: ReactNode) => <>{part}Control F searches.</>,
    textReadOnly: 'Read only. ',
    textTabIndents:
      'Tab indents. Press Escape, then Tab, to leave the editor. Control Space suggests, Shift Alt F formats, F8 goes to the next problem. ',
  },
  diffView: {
    text: (beforeLabel: ReactNode, part: ReactNode) => (
      <>
        {beforeLabel} and {part} are the same.
      </>
    ),
    ariaLabel: (beforeLabel: string | number, afterLabel: string | number) =>
      `Difference: ${beforeLabel} to ${afterLabel}`,
    textAddedRemoved: (span: ReactNode, span2: ReactNode, b: ReactNode, b2: ReactNode, part: ReactNode) => (
      <>
        {span} → {span2} · {b} added, {b2} removed {part}
      </>
    ),
    buttonShowAll: 'Show all lines',
    buttonChangesOnly: 'Changes only',
    title: 'Alt ↑',
    button: 'Previous change',
    titleAlt: 'Alt ↓',
    buttonNextChange: 'Next change',
    beforeLabelBefore: 'Before',
    afterLabelAfter: 'After',
  },
  documentEditor: {
    ariaLabelDocument: 'Document',
  },
  policyEditor: {
    ariaLabelSecurityPolicy: 'Security policy',
  },
  schemaEditor: {
    schemaEditor: {
      button: 'Search',
      buttonFormat: 'Format',
    },
    problemCount: {
      text: (part: ReactNode) => <>Too large to check while typing{part}. It is checked when you review it.</>,
      textYamlJson: ' as YAML; JSON may be larger',
      textNoProblems: 'No problems found',
      button: (part: ReactNode, words: ReactNode) => (
        <>
          {part} {words}: show
        </>
      ),
    },
  },
  threeWayMerge: {
    threeWayMerge: {
      titleBothChanges: 'Both changes fit together',
      title: (count: string | number, part: string | number) => `${count} ${part} changed by both`,
      alertYourChanges: 'Your changes and theirs are in the result below. Nothing was overwritten.',
      alertAllOther:
        'All other changes of both are merged already. Choose what stands in each place, or edit the result by hand.',
      titleResult: 'Result',
      button: 'Edit by hand',
      buttonBackChoices: 'Back to the choices',
      ariaLabel: 'Result of the merge',
      text: (message: string | number) => `The result has an error: ${message}`,
      textStillChoose: (open: string | number, count: string | number) => `${open} of ${count} still to choose`,
      buttonUseResult: 'Use this result',
    },
    choice: {
      itemMine: 'Mine',
      textTheirs: 'Theirs',
      text: (theirsLabel: string | number) => `Theirs (${theirsLabel})`,
      itemAsIt: 'As it was',
    },
    sideValue: {
      text: 'not there',
    },
  },
};
