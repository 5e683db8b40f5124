import type { ReactNode } from 'react';

export const changes = {
  conflictDialog: {
    title: 'Somebody else has changed it meanwhile',
    storedMeanwhile: (by: ReactNode) => (
      <>
        Stored meanwhile by {by}. Nothing of yours is lost and nothing of theirs is overwritten: take what fits, choose
        where both changed the same, then review and save once more.
      </>
    ),
  },
  history: {
    question: (revision: number) => `Restore revision ${revision}?`,
    failed: 'The history could not be loaded',
    title: 'Revisions, newest first',
    revision: (revision: ReactNode, newest: ReactNode) => (
      <>
        Revision {revision}
        {newest}
      </>
    ),
    newest: ', the newest',
    older: 'Older',
    whatItChanged: 'What it changed',
    comparedWithNow: 'Compared with now',
    restore: (chosen: ReactNode) => <>Restore revision {chosen}</>,
    revisionNotLoaded: 'The revision could not be loaded',
    beforeNothing: 'Nothing',
    before: (before: string | number) => `Revision ${before}`,
    after: (after: string | number) => `Revision ${after}`,
    action: 'Restore',
    done: (chosen: string | number) => `Revision ${chosen} is the newest again.`,
    confirm:
      'Its content is stored as a new revision and goes to every proxy that uses it. The history keeps all revisions.',
  },
  reviewDialog: {
    dialog: {
      oneWarning: 'One warning',
      warnings: (count: string | number) => `${count} warnings`,
      nothing: 'Nothing differs.',
      failed: 'Nothing was changed',
      back: 'Back to editing',
    },
    reach: {
      nodes: (shown: ReactNode, count: number, ofServices: ReactNode) => (
        <>
          Reaches {shown} {count === 1 ? 'node' : 'nodes'}
          {ofServices}.
        </>
      ),
      noNodes: 'No deployed service uses it: no proxy is reached.',
      ofServices: (names: ReactNode) => <> of {names}</>,
      summary: 'Which nodes',
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
  },
  rolloutProgress: {
    progress: {
      failed: 'The progress cannot be told now',
      title: 'Progress of the change',
      asking: 'Asking',
      hide: 'Hide the progress',
    },
    outcomes: {
      waiting: 'Waiting',
      rollingOut: 'Rolling out',
      live: 'Live',
      refused: 'Refused',
      stored: 'Stored',
    },
    outcome: {
      revision: (revision: number) => `Revision ${revision}`,
      unreached: '. No deployed service uses it yet.',
      live: (nodes: number) => ` on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}.`,
      rollingOut: (warmed: string | number, total: string | number) => `Rolling out ${warmed} of ${total}`,
      followedBy: (currentRevision: string | number) => `, meanwhile followed by ${currentRevision}`,
      refusedBy: (refused: string | number, total: string | number) =>
        ` by ${refused} of ${total}. What ran before keeps running there.`,
      offline: (offline: string | number) => ` ${offline} offline.`,
    },
    nodeLine: {
      node: (serviceLink: ReactNode, clientName: ReactNode) => (
        <>
          {serviceLink} on {clientName}
        </>
      ),
    },
  },
};
