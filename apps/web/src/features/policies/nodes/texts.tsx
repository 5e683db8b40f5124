import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
  nodeColumns: {
    service: 'Service',
    client: 'Client',
    state: 'State',
    revision: 'Revision',
    liveDigest: 'Live digest',
    liveDigestName: 'live digest',
    wantedDigest: 'Wanted digest',
    wantedDigestName: 'wanted digest',
    shield: 'Filter',
    running: 'Running',
    stopped: 'Stopped',
    error: 'Error',
    reported: 'Reported',
  },
  nodeState: {
    whyOutdated: (runs: string) => `Runs ${runs}; the newest text is being sent`,
    ranBefore: 'the previous text',
    revision: (liveRevision: string | number) => `revision ${liveRevision}`,
    refused: 'Refused',
    whyRefused: (runs: string | number) => `Its filter refused the newest text and runs ${runs}`,
    stopped: 'Stopped',
    whyStopped: 'The service is stopped there',
    offline: 'Offline',
    whyOfflineCurrent: 'It ran the newest text at its last report',
    whyOffline: (runs: string | number) => `At its last report, it ran ${runs}`,
    noShield: 'No filter',
    whyNoShield: 'The filter is not running: Envoy answers requests with an error',
    current: 'Current',
    whyCurrent: 'Runs the newest text',
    outdated: 'Outdated',
    unknown: 'Unknown',
    whyUnknown: 'It has not reported what it runs',
  },
  nodesTab: {
    refusals: (nodes: number) =>
      `${count(nodes, 'node', 'nodes')} refused the newest text and still ${nodes === 1 ? 'runs' : 'run'} the previous one`,
    running: (current: number, nodes: number, revision: string | number) =>
      `${current} of ${count(nodes, 'node runs', 'nodes run')} revision ${revision}`,
    outdated: (outdated: ReactNode) => <>{outdated} outdated</>,
    unknown: (unknown: ReactNode) => <>{unknown} unknown</>,
    list: 'nodes of the policy',
    emptyTitle: 'No nodes yet',
    empty: 'Nodes appear here after you deploy a service with this policy to a client.',
  },
};
