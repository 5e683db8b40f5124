const countDocuments = (count: number) => (count === 1 ? '1 document' : `${count} documents`);
const countServices = (count: number) => (count === 1 ? '1 service' : `${count} services`);

export const cleanUp = {
  title: 'Clean-up',
  lead: 'What the project has of a proxy version that it does not run any more. What is taken away is kept for 30 days.',
  choose: 'Take away',
  version: 'Proxy version',
  versionHint: (documents: number, services: number) =>
    `Of it: ${countDocuments(documents)}, ${countServices(services)}.`,
  noVersion: 'The project has no documents of any version.',
  mode: 'Which documents',
  modes: {
    all: 'All of them',
    'default-only': 'Defaults that every project begins with',
    'non-default-only': 'All but the defaults',
  },
  preview: 'What would go',
  nothing: 'There is nothing of this version to take away.',
  blocked: 'Nothing can be taken away yet',
  blocker: (kind: string, name: string, reason: string) => `${kind} ${name}: ${reason}`,
  counted: (collection: string, count: number) => `${collection}: ${count}`,
  more: (count: number) => `and ${count} more`,
  apply: (count: number) => `Take away ${count} …`,
  confirm: {
    title: (version: string) => `Take away what the project has of ${version}?`,
    action: 'Take away',
    text: (count: number) =>
      `${countDocuments(count)} ${count === 1 ? 'goes' : 'go'}, with all revisions. Before, a restore point of the project is made. For 30 days what goes can be brought back here.`,
  },
  done: (count: number) => `Taken away: ${countDocuments(count)}.`,
  kept: {
    title: 'Can be brought back',
    what: 'What was taken away',
    none: 'Nothing was taken away within the last 30 days.',
    line: (version: string, total: number) => `${version}, ${countDocuments(total)}`,
    by: 'by',
    until: 'Deleted for good',
    undo: 'Bring back',
    undoLabel: (version: string) => `Bring back what was of ${version}`,
    undoTitle: (version: string) => `Bring back what was of ${version}?`,
    undoText: (total: number) =>
      `${countDocuments(total)} to come back as before, with all revisions: whole, or not at all where a name is taken by now.`,
    undone: (total: number) => `Brought back: ${countDocuments(total)}.`,
    purge: 'Delete for good',
    purgeLabel: (version: string) => `Delete for good what was of ${version}`,
    purgeTitle: 'Delete for good?',
    purgeText: (total: number) =>
      `${countDocuments(total)} with all secrets: nothing of it can be brought back here any more.`,
    purged: 'It is deleted for good.',
  },
};
