import type { Db, Tx } from '@flotilla/db';
import type { OperationState } from '@flotilla/inventory';
import { sql } from 'kysely';
import type { OperationCounts } from './model/quota.ts';
import type { OperationRow, StoredOperation } from './model/row.ts';

/**
 * Locks the operations of these projects until the transaction ends, in the order of their ids. Every write of operations holds this lock. Projects
 * that do not exist are left out. Returns the numbers of operations.
 */
export async function lockProjects(tx: Tx, projectIds: readonly string[]): Promise<Map<string, OperationCounts>> {
  await sql`
    insert into inventory_projects (project_id)
    select id from projects where id = any(${[...projectIds]}::uuid[]) order by id for key share
    on conflict (project_id) do nothing`.execute(tx);
  const rows = await tx
    .selectFrom('inventory_projects')
    .select(['project_id', 'confirmed', 'attack_surface'])
    .where('project_id', 'in', [...projectIds])
    .orderBy('project_id')
    .forUpdate()
    .execute();
  return new Map(rows.map(({ project_id, confirmed, attack_surface }) => [project_id, { confirmed, attack_surface }]));
}

/** Notifies the people who look at the inventory of the project. */
export async function announceInventory(tx: Tx, projectId: string): Promise<void> {
  await sql`select announce_change(${projectId}, '{"topic":"inventory"}')`.execute(tx);
}

export async function storeCounts(tx: Tx, projectId: string, counts: OperationCounts): Promise<void> {
  await tx.updateTable('inventory_projects').set(counts).where('project_id', '=', projectId).execute();
}

/** The states of those operations that exist, by id. */
export async function readStates(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, OperationState>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('inventory_details')
    .select(['operation_id', 'state'])
    .where('project_id', '=', projectId)
    .where('operation_id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.operation_id, row.state]));
}

const COLUMNS: Readonly<Record<keyof OperationRow, string>> = {
  project_id: 'uuid',
  id: 'text',
  confirmed: 'boolean',
  is_other: 'boolean',
  method: 'text',
  host: 'text',
  path: 'text',
  operation: 'text',
  first_seen: 'timestamptz',
  last_seen: 'timestamptz',
  seen: 'bigint',
  classes: 'float8[]',
  error_rate: 'double precision',
  latency_max_ms: 'double precision',
  response_bytes: 'bigint',
  risk: 'smallint',
  posture_risk: 'smallint',
  active_risk: 'smallint',
  active_posture_risk: 'smallint',
  active_until: 'timestamptz',
  flags: 'bigint',
  active_flags: 'bigint',
  pii: 'int',
  active_pii: 'int',
  categories: 'int',
  schemes: 'int',
  protocols: 'int',
  auth_posture: 'text',
  services: 'uuid[]',
  clients: 'uuid[]',
  listeners: 'text[]',
};
/** Columns of the name of an operation: an update that leaves them out changes no index. */
const FIXED: readonly string[] = ['project_id', 'id', 'is_other', 'method', 'host', 'path', 'operation'];

const names = Object.keys(COLUMNS);
const columns = sql.raw(names.join(', '));
const typed = sql.raw(
  Object.entries(COLUMNS)
    .map((column) => column.join(' '))
    .join(', '),
);
/** An index contains `first_seen`: PostgreSQL compares values, so only an earlier first time costs a change of the index. */
const assigned = sql.raw(
  names
    .filter((name) => !FIXED.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', '),
);

/** Writes operations, new and changed ones. The caller holds the lock of the project. */
export async function writeOperations(tx: Tx, stored: readonly StoredOperation[]): Promise<void> {
  if (stored.length === 0) return;
  await sql`
    insert into inventory_operations (${columns})
    select ${columns} from jsonb_to_recordset(${JSON.stringify(stored.map(({ row }) => row))}::jsonb) as r(${typed})
    on conflict (project_id, id) do update set ${assigned}`.execute(tx);
  const details = stored.map(({ row, state }) => ({ project_id: row.project_id, operation_id: row.id, state }));
  await sql`
    insert into inventory_details (project_id, operation_id, state)
    select project_id, operation_id, state
    from jsonb_to_recordset(${JSON.stringify(details)}::jsonb) as r(project_id uuid, operation_id text, state jsonb)
    on conflict (project_id, operation_id) do update set state = excluded.state`.execute(tx);
}
