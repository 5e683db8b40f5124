import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { foundAddresses } from './candidate-store.ts';
import { toMember } from './member-store.ts';
import type { Member } from './model.ts';
import type { PairRow } from './pair-store.ts';

/** A pair with everything that its members are given. */
export interface GivenPair {
  readonly row: PairRow;
  readonly members: ReadonlyArray<Member & { readonly givenDigest: string | null }>;
  readonly addresses: readonly ServedAddress[];
}

export interface ServedAddress {
  readonly address: string;
  readonly serviceId: string;
}

/** The pairs of these clients, with a constant number of queries. One, if none of the clients is in a pair. */
export async function readGivenPairs(db: Db, clientIds: readonly string[]): Promise<GivenPair[]> {
  const pairs = await db
    .selectFrom('ha_pairs')
    .selectAll()
    .where(sql<boolean>`id in (select pair_id from ha_members where client_id = any(${[...clientIds]}::uuid[]))`)
    .execute();
  const ids = pairs.map(({ id }) => id);
  if (ids.length === 0) return [];
  const members = await db
    .selectFrom('ha_members')
    .innerJoin('clients', 'clients.id', 'ha_members.client_id')
    .selectAll('ha_members')
    .select(['clients.name', foundAddresses().as('found')])
    .where(sql<boolean>`pair_id = any(${ids}::uuid[])`)
    .orderBy('slot')
    .execute();
  const ofPair = Map.groupBy(members, ({ pair_id: id }) => id);
  const addresses = await listServedAddresses(db, ids);
  return pairs.map((row) => ({
    row,
    members: (ofPair.get(row.id) ?? []).map((member) => ({ ...toMember(member), givenDigest: member.given_digest })),
    addresses: addresses.get(row.id) ?? [],
  }));
}

/** The addresses of the services on the clients of each pair, each once. */
async function listServedAddresses(db: Db, pairIds: readonly string[]): Promise<ReadonlyMap<string, ServedAddress[]>> {
  const { rows } = await sql<ServedAddress & { pair_id: string }>`
    select distinct on (ha_members.pair_id, address) ha_members.pair_id, address, service_id as "serviceId"
    from ha_members join service_targets on service_targets.client_id = ha_members.client_id and deployed,
      unnest(service_targets.addresses) address
    where ha_members.pair_id = any(${[...pairIds]}::uuid[])
    order by ha_members.pair_id, address, service_id`.execute(db);
  return Map.groupBy(rows, ({ pair_id: id }) => id);
}

/** Those of the members whose stored digest differed. */
export async function storeGiven(
  tx: Tx,
  given: ReadonlyArray<{ readonly clientId: string; readonly digest: string }>,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ client_id: string }>`
    update ha_members set given_digest = s.digest
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as s("clientId" uuid, digest text)
    where ha_members.client_id = s."clientId" and given_digest is distinct from s.digest
    returning ha_members.client_id`.execute(tx);
  return new Set(rows.map((row) => row.client_id));
}

/** Keeps the keys of a pair that has some. Returns the stored ones. */
export async function storeMissingKeys(db: Db, pairId: string, sealedKeys: Buffer): Promise<Buffer> {
  await db
    .updateTable('ha_pairs')
    .set({ sealed_keys: sealedKeys })
    .where('id', '=', pairId)
    .where('sealed_keys', 'is', null)
    .execute();
  const row = await db.selectFrom('ha_pairs').select('sealed_keys').where('id', '=', pairId).executeTakeFirst();
  return row?.sealed_keys ?? sealedKeys;
}

/** All members of the pairs with a client where one of these services is, or may still be. */
export async function listMembersServing(db: Db, serviceIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ client_id: string }>`
    select client_id from ha_members where pair_id in (
      select pair_id from ha_members where client_id in (
        select client_id from service_targets where service_id = any(${[...serviceIds]}::uuid[])
        union select client_id from node_states where service_id = any(${[...serviceIds]}::uuid[])))`.execute(db);
  return rows.map((row) => row.client_id);
}
