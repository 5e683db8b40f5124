import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { ForwarderKind } from './tables.ts';

export interface StoredConfig {
  readonly client_id: string;
  readonly kind: ForwarderKind;
  /** Null: the forwarder was removed. */
  readonly sealed: Buffer | null;
  readonly revision: number;
}

export interface ConfigKey {
  readonly clientIds: readonly string[];
  readonly kind: ForwarderKind;
}

/** Locks the rows, so that the revisions of concurrent updates have the order of their commands. */
export async function lockConfigs(tx: Tx, { clientIds, kind }: ConfigKey): Promise<Map<string, StoredConfig>> {
  const rows = await tx
    .selectFrom('forwarder_configs')
    .select(['client_id', 'kind', 'sealed', 'revision'])
    .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
    .where('kind', '=', kind)
    .orderBy('client_id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.client_id, row]));
}

export async function listConfigs(db: Db, { clientIds }: Pick<ConfigKey, 'clientIds'>): Promise<StoredConfig[]> {
  return db
    .selectFrom('forwarder_configs')
    .select(['client_id', 'kind', 'sealed', 'revision'])
    .where(sql<boolean>`client_id = any(${[...clientIds]}::uuid[])`)
    .execute();
}

export interface NewConfig {
  readonly clientId: string;
  readonly projectId: string;
  readonly kind: ForwarderKind;
  readonly sealed: Buffer | null;
  readonly at: Date;
  readonly by: string;
}

/** Returns the revision. */
export async function storeConfig(tx: Tx, config: NewConfig): Promise<number> {
  const row = await tx
    .insertInto('forwarder_configs')
    .values({
      client_id: config.clientId,
      project_id: config.projectId,
      kind: config.kind,
      sealed: config.sealed,
      revision: sql<number>`nextval('fleet_generation')`,
      updated_at: config.at,
      updated_by: config.by,
    })
    .onConflict((conflict) =>
      conflict.columns(['client_id', 'kind']).doUpdateSet((eb) => ({
        project_id: eb.ref('excluded.project_id'),
        sealed: eb.ref('excluded.sealed'),
        revision: eb.ref('excluded.revision'),
        updated_at: eb.ref('excluded.updated_at'),
        updated_by: eb.ref('excluded.updated_by'),
      })),
    )
    .returning('revision')
    .executeTakeFirstOrThrow();
  return row.revision;
}
