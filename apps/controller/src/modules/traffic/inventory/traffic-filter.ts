import { failInventory, type InventoryFilter } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import { parseSpan } from '../../../platform/http/time-range.ts';
import type { OperationFilter } from './filter-store.ts';
import { resolveMerges } from './merges-store.ts';

/** Conditions on single requests, which only the event store knows. Values of one are alternatives. */
export interface TrafficFilter {
  readonly country?: readonly string[] | undefined;
  readonly asn?: readonly string[] | undefined;
  readonly source_ip?: readonly string[] | undefined;
  readonly user_agent?: readonly string[] | undefined;
}

/**
 * Finds the operations that served matching requests in the window. `truncated`: more than the event store lists. Throws inventory.store_off or
 * inventory.store_failed.
 */
export type FindOperationsByTraffic = (
  projectId: string,
  filter: TrafficFilter,
  window: { readonly from: Date; readonly to: Date },
) => Promise<{ readonly ids: readonly string[]; readonly truncated: boolean }>;

/** Events keep the operation of their time: those that were merged since then are found as what they are part of. */
export function followMerges(db: Db, find: FindOperationsByTraffic): FindOperationsByTraffic {
  return async (projectId, filter, window) => {
    const { ids, truncated } = await find(projectId, filter, window);
    const merges = await resolveMerges(db, projectId, ids);
    return { ids: [...new Set(ids.map((id) => merges.get(id) ?? id))], truncated };
  };
}

const WINDOW_MS = 7 * 86_400_000;

export interface ResolvedFilter {
  readonly filter: OperationFilter;
  readonly truncated: boolean;
  readonly applied: Record<string, string | number | boolean | string[]>;
}

/** Asks the event store about the conditions that the catalogue cannot answer. */
export async function resolveFilter(
  {
    projectId,
    now,
    find,
  }: { readonly projectId: string; readonly now: Date; readonly find: FindOperationsByTraffic | undefined },
  query: InventoryFilter,
): Promise<ResolvedFilter> {
  const { country, asn, source_ip, user_agent, traffic_from, traffic_to, ...filter } = query;
  const traffic: TrafficFilter = { country, asn, source_ip, user_agent };
  const applied = listApplied(query);
  if (Object.values(traffic).every((value) => value === undefined))
    return { filter, applied: without(applied, ['traffic_from', 'traffic_to']), truncated: false };
  if (!find) throw failInventory('inventory.store_off', { reason: 'this controller has none.' });
  const window = parseSpan({ from: traffic_from, to: traffic_to }, now, WINDOW_MS);
  const { ids, truncated } = await find(projectId, traffic, window).catch((cause: unknown) => {
    throw cause instanceof AppError
      ? cause
      : failInventory('inventory.store_failed', { reason: 'its query failed.' }, { cause });
  });
  const times = { traffic_from: window.from.toISOString(), traffic_to: window.to.toISOString() };
  return { filter: { ...filter, ids }, applied: { ...applied, ...times }, truncated };
}

function listApplied(query: InventoryFilter): ResolvedFilter['applied'] {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, Array.isArray(value) ? value.map(String) : value]],
    ),
  ) as ResolvedFilter['applied'];
}

function without(applied: ResolvedFilter['applied'], names: readonly string[]): ResolvedFilter['applied'] {
  return Object.fromEntries(Object.entries(applied).filter(([name]) => !names.includes(name)));
}
