import { metricsRoutes } from '@flotilla/contract';
import { get, type Verb } from '../nouns/verb.ts';
import { renderTable } from '../output.ts';
import { CLIENT, SERVICE, SINCE, UNTIL } from './inputs.ts';
import { policies } from './lookups.ts';

/** Counters are complete, while filters report only a limited number of events per second. */
export const COUNTERS: Verb = get(metricsRoutes.shieldCounters, {
  help: 'how many requests the filters allowed and blocked, by policy, engine and reason',
  inputs: [{ flags: '--policy <name>', to: 'policy', lookup: policies }, SERVICE, CLIENT, SINCE, UNTIL],
  text: ({ from, to, totals, unplaced, counters }) => {
    const columns = {
      count: 'count',
      verdict: 'verdict',
      policy: 'policy',
      engine: 'engine',
      reason: 'reason',
    } as const;
    return [
      `${from} to ${to}`,
      `${totals.allowed} allowed, ${totals.blocked} blocked, ${totals.detected} detected, ${totals.errors} engine errors`,
      ...(unplaced.dropped > 0 ? [`${unplaced.dropped} not counted: a client was offline for too long`] : []),
      ...(unplaced.clock_off > 0
        ? [`${unplaced.clock_off} counted at the time of their report: the clock of a host is wrong`]
        : []),
      ...(counters.length > 0 ? ['', renderTable(columns, counters)] : []),
    ].join('\n');
  },
});
