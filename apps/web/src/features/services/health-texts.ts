export const texts = {
  live: 'Live',
  degraded: 'Degraded',
  failed: 'Failed',
  inProgress: 'In progress',
  stopped: 'Stopped',
  unreachable: 'Unreachable',
  notDeployed: 'Not Deployed',
  unreachableLast: (lastKnown: string) => `Unreachable (last known: ${lastKnown})`,
  lastKnown: {
    live: 'serving',
    degraded: 'degraded',
    failed: 'failed',
    inProgress: 'applying a change',
    stopped: 'stopped',
  },
};
