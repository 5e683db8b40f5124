export const condition = {
  upToDate: 'Up to date',
  inProgress: 'In progress',
  withErrors: 'With errors',
  stopped: 'Stopped',
  unreachable: 'Unreachable',
  partlyUnreachable: 'Partly unreachable',
  notDeployed: 'Not Deployed',
  unreachableLast: (lastKnown: string) => `Unreachable (last known: ${lastKnown})`,
  lastKnown: {
    serving: 'serving',
    inProgress: 'applying a change',
    withErrors: 'with errors',
    stopped: 'stopped',
  },
};
