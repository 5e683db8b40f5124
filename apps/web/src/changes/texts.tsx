import type { ReactNode } from 'react';
import { count, plural } from '../ui/count.ts';

export const texts = {
  conflictDialog: {
    title: 'Someone else saved this while you were editing',
    storedMeanwhile: (by: ReactNode) => (
      <>
        Saved by {by}. No changes are lost, neither yours nor theirs. Choose a version wherever you both changed the
        same place, then review and save again.
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
    newest: ' (newest)',
    older: 'Show older',
    whatItChanged: 'Changes',
    comparedWithNow: 'Compare with current',
    restore: (chosen: ReactNode) => <>Restore revision {chosen}</>,
    revisionNotLoaded: 'The revision could not be loaded',
    beforeNothing: 'Nothing',
    before: (before: string | number) => `Revision ${before}`,
    after: (after: string | number) => `Revision ${after}`,
    action: 'Restore',
    done: (chosen: number, made: number) => `Revision ${chosen} restored as revision ${made}.`,
    same: (chosen: number) => `Nothing to restore: the current content is that of revision ${chosen}.`,
    confirm:
      'Its content is saved as a new revision and sent to every proxy that uses it. The history keeps all revisions.',
  },
  review: {
    warnings: (warnings: number) => count(warnings, 'warning'),
    failed: 'Nothing was changed',
    back: 'Back to editing',
    reach: {
      nodes: (shown: ReactNode, nodes: number, ofServices: ReactNode) => (
        <>
          Affects {shown} {plural(nodes, 'node')}
          {ofServices}:
        </>
      ),
      noNodes: 'Not used by a deployed service yet; no proxy changes.',
      ofServices: (names: ReactNode) => <> of {names}</>,
      summary: 'Show nodes',
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    changes: {
      view: 'Show changes as',
      languages: { json: 'JSON', yaml: 'YAML' },
      list: (changes: number) => `List (${changes})`,
      before: (revision: number) => `Revision ${revision}`,
      beforeNothing: 'Nothing',
      afterLabel: 'As it will be stored',
    },
  },
  rolloutProgress: {
    progress: {
      failed: 'The progress is not available',
      title: 'Progress of the change',
      asking: 'Loading',
      hide: 'Hide progress',
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
      live: (nodes: number) => ` on ${count(nodes, 'node')}.`,
      rollingOut: (warmed: string | number, total: string | number) => `Rolling out ${warmed} of ${total}`,
      followedBy: (currentRevision: string | number) => `, superseded by ${currentRevision}`,
      refusedBy: (refused: string | number, total: string | number) =>
        ` by ${refused} of ${total}. The previous revision keeps running there.`,
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
