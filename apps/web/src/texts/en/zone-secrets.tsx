import type { ReactNode } from 'react';

export const zoneSecrets = {
  title: 'Zone secrets',
  lead: 'With them the DNS servers of a zone sign their requests. A zone has one, and two while it is changed.',
  what: 'The zones',
  list: 'Zones with secrets',
  columns: {
    zone: 'Zone',
    key: 'Key',
    prefix: 'Begins with',
    made: 'Made',
    ends: 'Ends',
    by: 'First made by',
    actions: 'Actions',
  },
  newest: 'with the next change',
  key: 'key',
  empty: {
    title: 'No zone has a secret',
    text: 'Without one the DNS servers of a zone cannot prove that they are its own.',
  },
  add: {
    action: 'Make a secret for a zone',
    title: 'Make a secret for a zone',
    zone: 'Zone',
    zoneHint: 'A DNS name in small letters, without the dot at its end.',
    placeholder: 'lb.example.com',
    once: 'The secret is shown once, here. Have a place ready for it.',
    submit: 'Make the secret',
    failed: 'No secret was made',
  },
  rotate: {
    action: 'Change',
    label: (zone: string) => `Change the secret of ${zone}`,
    title: (zone: string) => `Change the secret of ${zone}`,
    text: 'Give the new key and secret to all DNS servers of the zone before the old one ends.',
    overlap: 'The secret of now still holds for',
    overlapHint: 'None: whatever is signed with it is refused at once. Choose that when it may be known to others.',
    submit: 'Make a new secret',
    failed: 'No secret was made',
    twoHold: 'Two secrets hold now',
    twoHoldText: (end: ReactNode) => (
      <>The older one ends {end}. Until then a new secret can only take the place of both: choose no time at all.</>
    ),
  },
  made: {
    title: (zone: string) => `The new secret of ${zone}`,
    what: 'secret',
    key: 'Key',
    once: 'The controller does not show it again: when this is closed, nobody can read it.',
    oldEnds: (end: ReactNode) => <>The secret of before ends {end}.</>,
    done: 'Done',
  },
  end: {
    action: 'End …',
    label: (zone: string) => `End the secrets of ${zone} …`,
    confirm: 'End them',
    title: (zone: string) => `End the secrets of ${zone}?`,
    text: 'What is signed with them is refused from then on, with either secret.',
    done: (zone: string) => `The secrets of ${zone} have ended.`,
  },
};
