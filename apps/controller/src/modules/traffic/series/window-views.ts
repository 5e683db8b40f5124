import type { Db } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';
import { SCOPE_IDS } from './model/columns.ts';
import { MINUTE_S } from './model/roll-up.ts';
import type { NodeMinutes } from './model/window.ts';
import { readNodeBlocks } from './node-blocks-store.ts';

const MINUTE_MS = 60_000;
/** Agents report every ten seconds, and reports are stored within two. */
const REPORT_DELAY_MS = 15_000;
/** Services per statement, so that a large fleet is not in memory at once. */
const SERVICES_AT_ONCE = 100;

/** The end of the last full minute of which all reports have arrived. */
export function lastFullMinute(nowMs: number): number {
  return Math.floor((nowMs - REPORT_DELAY_MS) / MINUTE_MS) * MINUTE_MS;
}

export interface WatchedServices {
  readonly projectId: string;
  readonly serviceIds: readonly string[];
}

export interface ServiceMinutes {
  readonly serviceId: string;
  readonly nodes: readonly NodeMinutes[];
}

/** The last minutes of services that have ever reported traffic, and of all their nodes. */
export async function* readServiceMinutes(
  db: Db,
  { projectId, serviceIds }: WatchedServices,
  { untilMs, minutes }: { readonly untilMs: number; readonly minutes: number },
): AsyncGenerator<ServiceMinutes> {
  const range = {
    fromMs: untilMs - minutes * MINUTE_MS,
    toMs: untilMs,
    stepS: MINUTE_S,
    steps: minutes,
    resolution: MINUTE_S,
  } as const;
  for (let from = 0; from < serviceIds.length; from += SERVICES_AT_ONCE) {
    const some = serviceIds.slice(from, from + SERVICES_AT_ONCE);
    const services = await listNodes(db, projectId, some);
    const filter = { projectId, serviceIds: some, seen: () => sql<SqlBool>`true` };
    const blocks = readNodeBlocks(db, filter, { range, wanted: { scope: SCOPE_IDS.server }, isNamed: false });
    for await (const { serviceId, clientId, block } of blocks) {
      const nodes = services.get(serviceId);
      nodes?.set(clientId, { block, known: nodes.get(clientId)?.known });
    }
    for (const [serviceId, nodes] of services) yield { serviceId, nodes: [...nodes.values()] };
  }
}

async function listNodes(db: Db, projectId: string, serviceIds: readonly string[]) {
  const { rows } = await sql<{ service_id: string; client_id: string; first_at: Date; reported_at: Date }>`
    select n.service_id, n.client_id, n.first_at, n.reported_at from traffic_nodes n
      join service_targets t on t.service_id = n.service_id and t.client_id = n.client_id and t.deployed
    where n.project_id = ${projectId} and n.service_id = any(${[...serviceIds]}::uuid[])`.execute(db);
  const services = new Map<string, Map<string, NodeMinutes>>();
  for (const { service_id, client_id, first_at, reported_at } of rows) {
    const nodes = services.get(service_id) ?? new Map<string, NodeMinutes>();
    services.set(service_id, nodes);
    const known = { firstMs: first_at.getTime(), newestMs: reported_at.getTime() };
    nodes.set(client_id, { block: undefined, known });
  }
  return services;
}
