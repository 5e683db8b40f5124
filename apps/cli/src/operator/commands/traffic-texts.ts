import type { TrafficChanges, TrafficComparedRange, TrafficComparison, TrafficLatencyMap } from '@flotilla/contract';
import { type Columns, renderTable } from '../output.ts';

type Change = TrafficChanges['items'][number];
type Step = TrafficLatencyMap['steps'][number];

const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)}%`);
const signed = (value: number) => `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))}`;

const STATES = {
  read: '',
  not_kept: 'begins before what is kept: nothing is known of it',
  not_begun: 'has not begun',
} as const;

const CHANGE_COLUMNS: Columns<Change> = {
  change: 'change',
  'per second': ({ difference_per_s: difference }) => signed(difference),
  requests: ({ now }) => now?.requests ?? 0,
  'requests before': ({ base }) => base?.requests ?? 0,
  value: ({ label, value }) => label ?? value,
};

export function describeComparison(comparison: TrafficComparison): string {
  const { range, base, operations, consumers, countries, limited, sampled } = comparison;
  const lists: readonly (readonly [string, TrafficChanges | null])[] = [
    ['operations', operations],
    ['consumers', consumers],
    ['countries', countries],
  ];
  return [
    describeRange('now', range),
    describeRange('before', base),
    ...(sampled ? ['Corrected for sampling.'] : []),
    ...(limited === null ? [] : [limited]),
    ...lists.flatMap(([title, changes]) => (changes === null ? [] : describeChanges(title, changes))),
  ].join('\n');
}

function describeRange(name: string, { from, to, state, totals, requests_per_s: rate }: TrafficComparedRange): string {
  const times = `${name.padEnd(7)} ${from} to ${to}`;
  if (totals === null) return `${times}: ${STATES[state]}`;
  const errors = `5xx ${percent(totals.server_error_share)}, 4xx ${percent(totals.client_error_share)}`;
  return `${times}: ${totals.requests} requests, ${rate?.toFixed(2) ?? '-'} per second, ${errors}, p95 ${totals.p95_ms ?? '-'} ms`;
}

function describeChanges(title: string, { items, new_count, gone_count, truncated }: TrafficChanges): string[] {
  const more = truncated ? ', of the largest ones' : '';
  const head = ['', `${title}: ${new_count} new, ${gone_count} gone${more}`];
  return items.length === 0 ? head : [...head, renderTable(CHANGE_COLUMNS, items)];
}

type Read = Pick<TrafficLatencyMap, 'from' | 'to' | 'sampled' | 'complete_from'>;

/** How many requests were counted, in which time. */
export function describeRead(read: Read, requests: number): string[] {
  const { from, to, sampled } = read;
  const head = `${from} to ${to}: ${requests} requests${sampled ? ', corrected for sampling' : ''}`;
  return [head, ...describeDeleted(read)];
}

export function describeDeleted({ complete_from: from }: Pick<Read, 'complete_from'>): string[] {
  return from === null ? [] : [`Requests before ${from} are deleted and not counted.`];
}

/** One line for each step, one column for each class that had requests. */
export function describeLatencyMap({ requests, classes, steps, ...read }: TrafficLatencyMap): string {
  const head = describeRead(read, requests).join('\n');
  if (classes.length === 0) return head;
  const columns: Columns<Step> = {
    time: 'at',
    ...Object.fromEntries(
      classes.map(({ from_ms: least, to_ms: most }, index) => [
        most === null ? `> ${least} ms` : `<= ${most} ms`,
        ({ requests: counts }: Step) => counts[index] ?? 0,
      ]),
    ),
  };
  return `${head}\n${renderTable(columns, steps)}`;
}
