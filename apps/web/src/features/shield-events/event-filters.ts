import type { ShieldEventSummary } from '@flotilla/contract';
import { type Filter, formatExact, toWord } from '../../ui/index.ts';
import { REASON_WORDS } from './reason-words.ts';
import { texts } from './texts.tsx';

const text = texts.eventFilters;
const { verdicts } = texts.summaryStrip;

type Groups = ShieldEventSummary['by_engine'];

/** Filters for which the API accepts only one value; values of the others are combined with "or". */
export const SINGLE_FILTERS = ['host', 'path_prefix', 'subject', 'source_ip', 'request_id'] as const;

/** Order and labels of the verdicts. */
const VERDICTS = [
  { value: 'blocked', label: verdicts.blocked },
  { value: 'detected', label: verdicts.detected },
  { value: 'error', label: verdicts.failed },
];

/** Returns all filters of the list. Their options are the values in the time range and the selected ones. */
export function toEventFilters(
  summary: ShieldEventSummary | undefined,
  chosen: (name: string) => readonly string[],
): readonly Filter[] {
  const known = (name: string, groups: Groups | undefined) => ({
    name,
    options: toOptions(groups, chosen(name)),
  });
  const words = (values: readonly string[]) => values.map((value) => ({ value, label: toWord(value) }));
  return [
    { name: 'verdict', label: text.labels.verdict, options: VERDICTS },
    { ...known('engine', summary?.by_engine), label: text.labels.engine },
    {
      name: 'reason',
      label: text.labels.reason,
      options: [...new Set([...chosen('reason'), ...Object.keys(REASON_WORDS)])].map((value) => ({
        value,
        label: value,
      })),
    },
    {
      name: 'severity',
      label: text.labels.severity,
      options: words(['critical', 'high', 'medium', 'low', 'info']),
    },
    { ...known('policy', summary?.by_policy), label: text.labels.policy },
    { ...known('route', summary?.by_route), label: text.labels.route },
    { ...known('service_id', summary?.by_service), label: text.labels.service },
    { ...known('client_id', summary?.by_client), label: text.labels.client },
    { name: 'host', label: text.labels.host },
    { name: 'path_prefix', label: text.labels.pathPrefix },
    { name: 'subject', label: text.labels.subject },
    { name: 'source_ip', label: text.labels.sourceIp },
    { name: 'request_id', label: text.labels.requestId },
    ...timeFilter('from', text.labels.from, chosen('from')[0]),
    ...timeFilter('to', text.labels.before, chosen('to')[0]),
  ];
}

function toOptions(groups: Groups | undefined, chosen: readonly string[]) {
  const labels = new Map(chosen.map((value) => [value, value]));
  for (const { name, label } of groups?.groups ?? []) labels.set(name, label || text.toOptions.ofDomain);
  return [...labels].map(([value, label]) => ({ value, label }));
}

/** Shows a custom range as a filter that can only be removed. */
function timeFilter(name: string, label: string, at: string | undefined): readonly Filter[] {
  return at === undefined ? [] : [{ name, label, options: [{ value: at, label: formatExact(at) }] }];
}

/** Returns the query of the API, with a single value for some filters. */
export function toEventQuery(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([name]) => name !== 'from' && name !== 'to')
      .map(([name, value]) => {
        const isSingle = (SINGLE_FILTERS as readonly string[]).includes(name);
        return [name, isSingle && Array.isArray(value) ? value.at(-1) : value] as const;
      }),
  );
}
