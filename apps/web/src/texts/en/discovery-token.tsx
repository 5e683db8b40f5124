import type { ReactNode } from 'react';

export const discoveryToken = {
  title: 'Discovery token',
  lead: 'With it services report themselves to this project. There is one, with two secrets while it is changed.',
  what: 'The discovery token',
  list: 'Secrets',
  columns: { prefix: 'Begins with', made: 'Made', ends: 'Ends' },
  newest: 'with the next change',
  madeBy: 'First made by',
  empty: {
    title: 'No discovery token yet',
    text: 'Without one nothing can report itself to this project.',
    action: 'Make the discovery token',
  },
  rotate: {
    action: 'Change the secret',
    title: 'Change the secret of the discovery token',
    text: 'Put the new secret where the old one is before that one ends.',
    first: 'The secret is shown once, here. Have a place ready for it.',
    firstTitle: 'Make the discovery token',
    newTitle: 'The new secret',
    what: 'secret',
    overlap: 'The secret of now still holds for',
    overlapHint: 'None: whatever uses it is refused at once. Choose that when it may be known to others.',
    submit: 'Make a new secret',
    failed: 'No secret was made',
    twoHold: 'Two secrets hold now',
    twoHoldText: (end: ReactNode) => (
      <>The older one ends {end}. Until then a new secret can only take the place of both: choose no time at all.</>
    ),
    once: 'Only a hash of it is kept: when this is closed, nobody can show it again.',
    oldEnds: 'The secret of before ends',
    done: 'Done',
  },
  remove: {
    action: 'Delete …',
    confirm: 'Delete',
    title: 'Delete the discovery token?',
    text: 'What comes with it is refused from then on, with either secret.',
    done: 'The discovery token is deleted.',
  },
};
