import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { ServiceNode } from '../services/index.ts';

/** The content that was last sent to a node. */
export interface StoredContent {
  readonly digest: string | null;
  readonly generation: number | null;
  readonly sealed: Buffer | null;
  /** An active configuration error says that it could not be built. */
  readonly hasProblems: boolean;
}

/** By service id. */
export async function readStoredContents(db: Db, clientId: string): Promise<Map<string, StoredContent>> {
  const rows = await db
    .selectFrom('service_targets')
    .select(['service_id', 'content_digest', 'content_generation', 'sealed_content'])
    .select(
      sql<boolean>`exists (select from config_errors where config_errors.service_id = service_targets.service_id
        and config_errors.client_id = service_targets.client_id and config_errors.source = 'content'
        and config_errors.status = 'active')`.as('has_problems'),
    )
    .where('client_id', '=', clientId)
    .where('deployed', '=', true)
    .execute();
  return new Map(
    rows.map((row) => [
      row.service_id,
      {
        digest: row.content_digest,
        generation: row.content_generation,
        sealed: row.sealed_content,
        hasProblems: row.has_problems,
      },
    ]),
  );
}

/**
 * Omit `sealed` if the stored content is unchanged. False: the generation was raised in between and nothing was stored;
 * that change is announced and read again.
 */
export async function storeContent(
  db: Db,
  node: ServiceNode,
  content: { digest: string; generation: number; sealed: Buffer | undefined },
): Promise<boolean> {
  const row = await db
    .updateTable('service_targets')
    .set({
      content_digest: content.digest,
      content_generation: content.generation,
      generation: content.generation,
      ...(content.sealed && { sealed_content: content.sealed }),
    })
    .where('service_id', '=', node.serviceId)
    .where('client_id', '=', node.client.id)
    .where('generation', '=', node.generation)
    .returning('service_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function nextGeneration(db: Db): Promise<number> {
  const { rows } = await sql<{ value: number }>`select nextval('fleet_generation') as value`.execute(db);
  return rows[0]?.value ?? 0;
}

export interface DesiredKey {
  readonly revision: number;
  /** The architecture that the client's agent reports: `linux-amd64`. */
  readonly arch: string;
  readonly hasServices: boolean;
}

/** By client. A client that does not exist has none. */
export async function findDesiredKeys(db: Db, clientIds: readonly string[]): Promise<ReadonlyMap<string, DesiredKey>> {
  const { rows } = await sql<DesiredKey & { id: string }>`
    select id, desired_revision as revision, arch, exists (
        select from service_targets where service_targets.client_id = clients.id and deployed) as "hasServices"
    from clients where id = any(${[...clientIds]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/**
 * Returns the next revision, unless it was raised since it was `known`: the caller's data may then be older than that
 * change, whose announcement must still find a stream that is behind.
 */
export async function raiseRevision(db: Db, clientId: string, known: number): Promise<number> {
  const row = await db
    .updateTable('clients')
    .set({ desired_revision: sql<number>`nextval('fleet_generation')` })
    .where('id', '=', clientId)
    .where('desired_revision', '=', known)
    .returning('desired_revision')
    .executeTakeFirst();
  return row?.desired_revision ?? known;
}

/** Clients that run any of these services. */
export async function listDeployedClients(db: Db, serviceIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ client_id: string }>`
    select distinct client_id from service_targets
    where deployed and service_id = any(${[...serviceIds]}::uuid[])`.execute(db);
  return new Set(rows.map((row) => row.client_id));
}
