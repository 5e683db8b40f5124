import type { ReactNode } from 'react';

export const changes = {
  conflictDialog: {
    title: 'Somebody else has changed it meanwhile',
    text: (bdi: ReactNode) => (
      <>
        Stored meanwhile by {bdi}. Nothing of yours is lost and nothing of theirs is overwritten: take what fits, choose
        where both changed the same, then review and save once more.
      </>
    ),
  },
  history: {
    question: (revision: number) => `Restore revision ${revision}?`,
    what: 'The history could not be loaded',
    ariaLabel: 'Revisions, newest first',
    text: (revision: ReactNode, part: ReactNode) => (
      <>
        Revision {revision}
        {part}
      </>
    ),
    textNewest: ', the newest',
    button: 'Older',
    buttonChanged: 'What it changed',
    buttonComparedNow: 'Compared with now',
    buttonRestoreRevision: (chosen: ReactNode) => <>Restore revision {chosen}</>,
    revisionNotLoaded: 'The revision could not be loaded',
    beforeLabelNothing: 'Nothing',
    beforeLabel: (before: string | number) => `Revision ${before}`,
    afterLabel: (after: string | number) => `Revision ${after}`,
    action: 'Restore',
    done: (chosen: string | number) => `Revision ${chosen} is the newest again.`,
    confirm:
      'Its content is stored as a new revision and goes to every proxy that uses it. The history keeps all revisions.',
  },
  reviewDialog: {
    reviewDialog: {
      titleOneWarning: 'One warning',
      title: (count: string | number) => `${count} warnings`,
      text: 'Nothing differs.',
      what: 'Nothing was changed',
      button: 'Back to editing',
    },
    reach: {
      nodes: (shown: ReactNode, count: number, ofServices: ReactNode) => (
        <>
          Reaches {shown} {count === 1 ? 'node' : 'nodes'}
          {ofServices}.
        </>
      ),
      text: 'No deployed service uses it: no proxy is reached.',
      textOf: (bdi: ReactNode) => <> of {bdi}</>,
      summary: 'Which nodes',
      item: (part: ReactNode) => <>and {part} more</>,
    },
  },
  rolloutProgress: {
    rolloutProgress: {
      what: 'The progress cannot be told now',
      ariaLabel: 'Progress of the change',
      word: 'Asking',
      ariaLabelHideProgress: 'Hide the progress',
    },
    outcomes: {
      word: 'Waiting',
      wordRollingOut: 'Rolling out',
      wordLive: 'Live',
      wordRefused: 'Refused',
      wordStored: 'Stored',
    },
    outcome: {
      revision: (revision: number) => `Revision ${revision}`,
      unreached: '. No deployed service uses it yet.',
      live: (nodes: number) => ` on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}.`,
      word: (warmed: string | number, total: string | number) => `Rolling out ${warmed} of ${total}`,
      text: (currentRevision: string | number) => `, meanwhile followed by ${currentRevision}`,
      textRanBefore: (part: string | number, total: string | number) =>
        ` by ${part} of ${total}. What ran before keeps running there.`,
      textOffline: (offline: string | number) => ` ${offline} offline.`,
    },
    nodeLine: {
      text: (serviceLink: ReactNode, clientName: ReactNode) => (
        <>
          {serviceLink} on {clientName}
        </>
      ),
    },
  },
};
