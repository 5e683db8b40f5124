type Row = readonly [keys: string, effect: string];

export const texts = {
  title: 'Keyboard shortcuts',
  close: 'Close',
  goTo: 'Go to',
  everywhere: 'Everywhere',
  everywhereKeys: [
    ['Ctrl K', 'Search and run a command'],
    ['/', 'Search this list'],
    ['?', 'Show these shortcuts'],
  ] as readonly Row[],
  lists: 'In lists',
  listKeys: [
    ['↑ ↓', 'Previous and next row'],
    ['← →', 'Controls of a row'],
    ['Enter', 'Open the row'],
    ['Space', 'Select the row'],
  ] as readonly Row[],
  editors: 'In editors',
  editorKeys: [
    ['Ctrl Space', 'Complete'],
    ['F8', 'Next problem'],
    ['Ctrl Z', 'Undo'],
    ['Alt ↑ ↓', 'Move a list item; previous and next change'],
    ['Esc Tab', 'Leave the code'],
  ] as readonly Row[],
};
