import { auditActions } from '../../changes/action-texts.ts';
import { count } from '../../ui/count.ts';

const countDocuments = (documents: number) => count(documents, 'document');

export const texts = {
  title: 'Clean-up',
  lead: 'Remove the documents of a proxy version that the project no longer runs. You can restore them for 30 days.',
  choose: 'Remove documents',
  version: 'Proxy version',
  versionHint: (documents: number, services: number) =>
    `This version has ${countDocuments(documents)} and ${count(services, 'service')}.`,
  noVersion: 'The project has no documents of any version.',
  mode: 'Documents',
  modes: {
    all: 'All',
    'default-only': 'Only the defaults that every project starts with',
    'non-default-only': 'All except the defaults',
  },
  preview: 'Documents to remove',
  nothing: 'This version has no documents to remove.',
  blocked: 'Nothing can be removed yet',
  /** `Service demo uses this version`. The reason comes from the API. */
  blocker: (kind: string, name: string, reason: string) => {
    const noun = auditActions.noun(kind);
    return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name} ${reason}`;
  },
  counted: (collection: string, documents: number) => `${collection}: ${documents}`,
  more: (rest: number) => `and ${rest} more`,
  apply: (documents: number) => `Remove ${countDocuments(documents)} …`,
  confirm: {
    title: (version: string) => `Remove the documents of ${version}?`,
    action: 'Remove',
    text: (documents: number) =>
      `${countDocuments(documents)} will be removed, with all revisions. A restore point of the project is created first. You can restore the documents here for 30 days.`,
  },
  done: (documents: number) => `Removed ${countDocuments(documents)}.`,
  kept: {
    title: 'Recoverable',
    what: 'The removed documents',
    none: 'Nothing was removed in the last 30 days.',
    line: (version: string, documents: number) => `${version}, ${countDocuments(documents)}`,
    by: 'by',
    until: 'Deleted permanently',
    undo: 'Restore',
    undoLabel: (version: string) => `Restore the documents of ${version}`,
    undoTitle: (version: string) => `Restore the documents of ${version}?`,
    undoText: (documents: number) =>
      `${countDocuments(documents)} will be restored, with all revisions. If a name is taken by now, nothing is restored.`,
    undone: (documents: number) => `Restored ${countDocuments(documents)}.`,
    purge: 'Delete permanently',
    purgeLabel: (version: string) => `Delete permanently: the documents of ${version}`,
    purgeTitle: 'Delete permanently?',
    purgeText: (documents: number) =>
      `${countDocuments(documents)} and all secrets in them will be deleted. They can no longer be restored here.`,
    purged: 'The documents are permanently deleted.',
  },
};
