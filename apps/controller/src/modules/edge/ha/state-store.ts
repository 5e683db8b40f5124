import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isConnected } from '../../fleet/public.ts';
import { foundAddresses } from './candidate-store.ts';
import { listPairServices, toMember } from './member-store.ts';
import type { PairState, ReportingMember } from './model.ts';
import { type PairRow, toPair } from './pair-store.ts';
import { listPending } from './sync/index.ts';

/** The pairs of a project by name, or one of them. A constant number of queries for any number of pairs. */
export async function readPairs(db: Db, projectId: string, id?: string): Promise<PairState[]> {
  const rows = await db
    .selectFrom('ha_pairs')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('name')
    .execute();
  return completePairs(db, rows);
}

async function completePairs(db: Db, rows: readonly PairRow[]): Promise<PairState[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const members = await listReporting(db, ids);
  const services = Map.groupBy(await listPairServices(db, ids), ({ pairId }) => pairId);
  const epochs = await listHighestEpochs(db, ids);
  const pending = await listPending(db, ids);
  return rows.map((row) => {
    const own = members.get(row.id) ?? [];
    const slots = own.map(({ slot }) => slot);
    const reported = own.map(({ report }) => report?.epoch ?? 0);
    return {
      ...toPair(row, slots),
      members: own,
      services: services.get(row.id) ?? [],
      highestEpoch: Math.max(0, epochs.get(row.id) ?? 0, ...reported),
      pending: pending.get(row.id) ?? [],
    };
  });
}

async function listReporting(db: Db, pairIds: readonly string[]): Promise<ReadonlyMap<string, ReportingMember[]>> {
  const rows = await db
    .selectFrom('ha_members')
    .innerJoin('clients', 'clients.id', 'ha_members.client_id')
    .leftJoin('ha_reports', 'ha_reports.client_id', 'ha_members.client_id')
    .selectAll('ha_members')
    .select([
      'clients.name',
      foundAddresses().as('found'),
      sql<boolean>`${isConnected()}`.as('connected'),
      'ha_reports.report',
      'ha_reports.reported_at',
    ])
    .where(sql<boolean>`ha_members.pair_id = any(${[...pairIds]}::uuid[])`)
    .orderBy('slot')
    .execute();
  const members = rows.map((row) => ({
    pairId: row.pair_id,
    member: {
      ...toMember(row),
      connected: row.connected,
      report: row.report ?? undefined,
      reportedAt: row.reported_at ?? undefined,
    },
  }));
  const grouped = Map.groupBy(members, ({ pairId }) => pairId);
  return new Map([...grouped].map(([pairId, own]) => [pairId, own.map(({ member }) => member)]));
}

async function listHighestEpochs(db: Db, pairIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('ha_terms')
    .select(['pair_id', (eb) => eb.fn.max<number>('epoch').as('epoch')])
    .where(sql<boolean>`pair_id = any(${[...pairIds]}::uuid[])`)
    .groupBy('pair_id')
    .execute();
  return new Map(rows.map(({ pair_id: id, epoch }) => [id, epoch]));
}
