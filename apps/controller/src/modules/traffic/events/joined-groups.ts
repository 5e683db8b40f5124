import type { Group, TopOrder } from '@flotilla/event-store';
import type { CurrentName } from '../inventory/index.ts';
import { OPERATION_COLUMNS } from './dimensions.ts';

const RANK_OF: Readonly<Record<TopOrder, (group: Group) => number>> = {
  requests: (group) => group.requests,
  errors: (group) => group.clientErrors + group.serverErrors,
  serverErrors: (group) => group.serverErrors,
  clientErrors: (group) => group.clientErrors,
  responseBytes: (group) => group.responseBytes,
  latencyUsMax: (group) => group.latencyUsMax,
  riskMax: (group) => group.riskMax,
};

/**
 * Events keep the operation of their time: adds the groups of merged operations to that of the operation that they are part of now. The values of the
 * groups begin with those of `OPERATION_COLUMNS`. Groups that are too small to be among these are not added. Counts of different values cannot be added, so the groups
 * must have none.
 */
export function joinMerged(
  groups: readonly Group[],
  names: ReadonlyMap<string, CurrentName>,
  order: TopOrder = 'requests',
): readonly Group[] {
  if (names.size === 0) return groups;
  const joined = new Map<string, Group>();
  for (const group of groups) {
    const values = toCurrent(group.values, names);
    const key = JSON.stringify(values);
    const known = joined.get(key);
    joined.set(key, known === undefined ? { ...group, values } : add(known, group));
  }
  return [...joined.values()].sort((a, b) => RANK_OF[order](b) - RANK_OF[order](a));
}

function toCurrent(values: readonly string[], names: ReadonlyMap<string, CurrentName>): readonly string[] {
  const name = names.get(values[0] ?? '');
  if (name === undefined) return values;
  return [name.id, name.method, name.host, name.path, name.operation, ...values.slice(OPERATION_COLUMNS.length)];
}

function add(a: Group, b: Group): Group {
  return {
    values: a.values,
    events: a.events + b.events,
    requests: a.requests + b.requests,
    clientErrors: a.clientErrors + b.clientErrors,
    serverErrors: a.serverErrors + b.serverErrors,
    blocked: a.blocked + b.blocked,
    requestBytes: a.requestBytes + b.requestBytes,
    responseBytes: a.responseBytes + b.responseBytes,
    responseBytesMax: Math.max(a.responseBytesMax, b.responseBytesMax),
    latencyUsSum: a.latencyUsSum + b.latencyUsSum,
    latencyUsMax: Math.max(a.latencyUsMax, b.latencyUsMax),
    riskMax: Math.max(a.riskMax, b.riskMax),
    counts: Object.fromEntries(
      [...new Set([...Object.keys(a.counts), ...Object.keys(b.counts)])].map((name) => [
        name,
        (a.counts[name] ?? 0) + (b.counts[name] ?? 0),
      ]),
    ),
    distinct: {},
    facts: joinFacts(a.facts, b.facts),
  };
}

function joinFacts(a: Group['facts'], b: Group['facts']): Group['facts'] {
  if (a === null || b === null) return a ?? b;
  const union = (x: readonly number[], y: readonly number[]) => [...new Set([...x, ...y])];
  return {
    exposureMax: Math.max(a.exposureMax, b.exposureMax),
    flags: union(a.flags, b.flags),
    pii: union(a.pii, b.pii),
    categories: union(a.categories, b.categories),
    marks: union(a.marks, b.marks),
    firstMs: Math.min(a.firstMs, b.firstMs),
    lastMs: Math.max(a.lastMs, b.lastMs),
  };
}
