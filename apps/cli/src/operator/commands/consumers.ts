import { type TrafficConsumer, trafficInsightRoutes } from '@flotilla/contract';
import type { Noun } from '../nouns/noun.ts';
import { get } from '../nouns/verb.ts';
import { type Columns, renderTable } from '../output.ts';
import { CLIENT, SERVICE, SINCE, UNTIL } from './inputs.ts';

const TOP = { flags: '--top <number>', help: 'maximum number of consumers; 10 by default', to: 'top' } as const;

const COLUMNS: Columns<TrafficConsumer> = {
  consumer: 'consumer',
  requests: 'requests',
  '%': 'percentage',
  operations: 'distinct_operations',
  sources: 'distinct_sources',
  'auth failures': 'auth_failures',
  'feed hits': 'threat_intel_hits',
  risk: 'risk_max',
  'last seen': 'last_seen',
};

export const CONSUMERS: Noun = {
  help: 'who calls the APIs; consumers are shown as keyed hashes',
  place: 'project',
  verbs: {
    list: get(trafficInsightRoutes.consumers, {
      inputs: [SERVICE, CLIENT, SINCE, UNTIL, TOP],
      text: ({ items, requests, anonymous_requests: anonymous, truncated }) =>
        [
          `${requests} requests, ${anonymous} of them without a consumer`,
          ...(items.length > 0 ? [renderTable(COLUMNS, items)] : []),
          ...(truncated ? ['There are more consumers: raise --top.'] : []),
        ].join('\n'),
    }),
    get: get(trafficInsightRoutes.consumer, { inputs: [{ flags: '<hash>', to: 'consumer_hash' }, SINCE, UNTIL, TOP] }),
  },
};
