import type { Buffer } from 'node:buffer';
import { fail, failIdentity, ZONES_MAX, type ZoneSecretView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { listSecrets } from '../../../platform/tokens/index.ts';

const KIND = 'zone';

export interface Zone {
  readonly id: string;
  readonly view: ZoneSecretView;
}

/** All zones of the project by name; there are few. */
export async function listZones(db: Db, projectId: string, now: Date): Promise<ZoneSecretView[]> {
  return (await select(db, projectId, now)).map(({ view }) => view);
}

/** Throws record.not_found. */
export async function findZone(db: Db, projectId: string, zone: string, now: Date): Promise<Zone> {
  const [found] = await select(db, projectId, now, zone);
  if (!found) throw notFound(zone);
  return found;
}

async function select(db: Db, projectId: string, now: Date, zone?: string): Promise<Zone[]> {
  let query = db
    .selectFrom('service_tokens')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', KIND)
    .orderBy('name');
  if (zone !== undefined) query = query.where('name', '=', zone);
  const zones = await query.execute();
  const secrets = await listSecrets(db, { kind: KIND, tokenIds: zones.map(({ id }) => id), now });
  return zones.map(({ id, name, project_id, created_at, created_by }) => ({
    id,
    view: {
      zone: name,
      project: project_id,
      created_at: created_at.toISOString(),
      created_by,
      secrets: secrets.filter(({ tokenId }) => tokenId === id).map(({ id: key_id, view }) => ({ key_id, ...view })),
    },
  }));
}

/** Throws record.exists and zone.too_many. */
export async function insertZone(
  tx: Tx,
  zone: { readonly projectId: string; readonly name: string; readonly by: string; readonly now: Date },
): Promise<string> {
  const { projectId, name, by, now } = zone;
  // Serialises inserts, so that the count stays valid.
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('service_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('kind', '=', KIND)
    .executeTakeFirstOrThrow();
  const id = createId(now.getTime());
  const made = await tx
    .insertInto('service_tokens')
    .values({ id, project_id: projectId, kind: KIND, name, created_at: now, created_by: by })
    .onConflict((conflict) => conflict.columns(['project_id', 'kind', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) throw fail('record.exists', { kind: 'zone', name });
  if (Number(count) >= ZONES_MAX) throw failIdentity('zone.too_many', { max: ZONES_MAX });
  return id;
}

/** Locks until the transaction ends, so that only one rotation runs. Throws record.not_found. */
export async function lockZone(tx: Tx, projectId: string, zone: string): Promise<string> {
  const row = await tx
    .selectFrom('service_tokens')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', KIND)
    .where('name', '=', zone)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound(zone);
  return row.id;
}

export interface ZoneKey {
  readonly zone: string;
  readonly projectId: string;
  readonly sealed: Buffer;
}

/** Finds an unexpired secret by id in any project. */
export async function findZoneKey(db: Db, keyId: string, now: Date): Promise<ZoneKey | undefined> {
  const row = await db
    .selectFrom('token_secrets')
    .innerJoin('service_tokens', 'service_tokens.id', 'token_secrets.token_id')
    .select(['service_tokens.name as zone', 'service_tokens.project_id as projectId', 'sealed_secret'])
    .where('token_secrets.id', '=', keyId)
    .where('token_kind', '=', KIND)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
  if (!row?.sealed_secret) return undefined;
  return { zone: row.zone, projectId: row.projectId, sealed: row.sealed_secret };
}

function notFound(zone: string): Error {
  return fail('record.not_found', { kind: 'zone', name: zone });
}
