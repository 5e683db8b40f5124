import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isConnected } from '../clients/index.ts';

interface Scope {
  readonly project: string;
  readonly version: string;
}

/** Services with a listener, each with those of its clients that are among `clientIds`. */
export async function findServicesWith(db: Db, { project, version }: Scope, listener: string) {
  return db
    .selectFrom('services')
    .select(['id', 'name'])
    .where('project_id', '=', project)
    .where('version', '=', version)
    .where(sql<boolean>`${listener} = any(listeners)`)
    .orderBy('name')
    .execute();
}

export async function findServiceNamed(db: Db, project: string, name: string) {
  return db
    .selectFrom('services')
    .select(['id', 'name', 'version'])
    .where('project_id', '=', project)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Those of the names that services of the project have. */
export async function findServiceNames(
  db: Db,
  project: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('services')
    .select('name')
    .where('project_id', '=', project)
    .where('name', 'in', names)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** The service of a listener on one of these clients, else of any, decides the version. */
export async function findVersionOf(
  db: Db,
  project: string,
  { listener, clientIds }: { readonly listener: string; readonly clientIds: readonly string[] },
): Promise<string | undefined> {
  const { rows } = await sql<{ version: string }>`
    select version from documents where project_id = ${project} and collection = 'listeners' and name = ${listener}
    order by exists (select from services join service_targets on service_targets.service_id = services.id
        where services.project_id = documents.project_id and services.version = documents.version
          and documents.name = any(services.listeners) and service_targets.client_id = any(${[...clientIds]}::uuid[])) desc,
      exists (select from services where services.project_id = documents.project_id
          and services.version = documents.version and documents.name = any(services.listeners)) desc,
      string_to_array(version, '.')::int[] desc
    limit 1`.execute(db);
  return rows[0]?.version;
}

/** The newest version for which the project has a bootstrap. */
export async function findNewestVersion(db: Db, project: string): Promise<string | undefined> {
  const { rows } = await sql<{ version: string }>`
    select version from documents where project_id = ${project} and collection = 'bootstrap'
    order by string_to_array(version, '.')::int[] desc limit 1`.execute(db);
  return rows[0]?.version;
}

/** The bootstrap for a new service: `main`, else the first by name. */
export async function findBootstrap(db: Db, { project, version }: Scope): Promise<string | undefined> {
  const row = await db
    .selectFrom('documents')
    .select('name')
    .where('project_id', '=', project)
    .where('version', '=', version)
    .where('collection', '=', 'bootstrap')
    .orderBy(sql`name = 'main'`, 'desc')
    .orderBy('name')
    .executeTakeFirst();
  return row?.name;
}

export interface PublishClient {
  readonly id: string;
  readonly name: string;
  readonly hostname: string;
  readonly connected: boolean;
}

export async function findClients(
  db: Db,
  project: string,
  ids: readonly string[],
): Promise<Map<string, PublishClient>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('clients')
    .select(['id', 'name', 'hostname', sql<boolean>`${isConnected()}`.as('connected')])
    .where('project_id', '=', project)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
