import { type CommandKind, FLEET_ERRORS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import type { RowOf } from '../../../platform/database/records.ts';
import { isConnected } from '../clients/index.ts';
import { type Finding, UNFINISHED } from './model.ts';
import { ENDED_COLUMNS, type EndedCommand, recordEnds } from './record-store.ts';
import type { StoredPayload } from './sealed-payloads.ts';
import type { CommandStatus } from './tables.ts';

export interface NewCommand {
  readonly id: string;
  readonly projectId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly serviceId: string | null;
  readonly type: string;
  readonly subType: string;
  readonly operation: string;
  readonly kind: CommandKind;
  /**
   * For desired changes: the generation that the client must reach; `next` if no target row is left to read it from.
   */
  readonly generation: number | 'next' | null;
  /** The command is not sent after this time. null: no deadline before it is sent. */
  readonly deadlineAt: Date | null;
  readonly payload: StoredPayload;
  readonly timeoutMs: number;
  readonly createdBy: string;
  readonly now: Date;
}

const INSERTED = [
  ...['id', 'project_id', 'client_id', 'client_name', 'service_id', 'type', 'sub_type', 'operation', 'kind'],
  ...['deadline_at', 'payload', 'timeout_ms', 'created_by', 'created_at'],
];
const inserted = sql.raw(INSERTED.join(', '));
const insertedOf = sql.raw(INSERTED.map((column) => `s.${column}`).join(', '));

/**
 * Takes the fence: call it with the service locked, so that a later change gets the higher one. The fences have the order
 * of the commands.
 */
export async function insertCommands(tx: Tx, commands: readonly NewCommand[]): Promise<void> {
  if (commands.length === 0) return;
  const given = commands.map((command, n) => ({
    n,
    id: command.id,
    project_id: command.projectId,
    client_id: command.clientId,
    client_name: command.clientName,
    service_id: command.serviceId,
    type: command.type,
    sub_type: command.subType,
    operation: command.operation,
    kind: command.kind,
    takes_generation: command.generation === 'next',
    generation: command.generation === 'next' ? null : command.generation,
    deadline_at: command.deadlineAt,
    payload: command.payload.open,
    payload_sealed: command.payload.sealed?.toString('hex') ?? null,
    timeout_ms: command.timeoutMs,
    created_by: command.createdBy,
    created_at: command.now,
  }));
  // One parameter: a command for a thousand clients has fourteen thousand values.
  await sql`
    insert into commands (${inserted}, payload_sealed, status, fence, generation)
    select ${insertedOf}, decode(s.payload_sealed, 'hex'), 'pending', nextval('fleet_generation'),
      case when s.takes_generation then nextval('fleet_generation') else s.generation end
    from (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(n integer, id uuid, project_id uuid, client_id uuid, client_name text, service_id uuid, type text,
          sub_type text, operation text, kind text, takes_generation boolean, generation bigint, deadline_at timestamptz,
          payload jsonb, payload_sealed text, timeout_ms integer, created_by text, created_at timestamptz)
      order by n
    ) s`.execute(tx);
}

/** Commands that a newer one contradicts; an empty string matches any. */
export interface CommandPattern {
  readonly type: string;
  readonly subType: string;
  readonly operation: string;
}

/** Refuses pending commands that a newer desired change of the same service contradicts. They were never sent. */
export async function supersede(
  tx: Tx,
  key: { serviceId: string; clientIds: readonly string[]; patterns: readonly CommandPattern[] },
  now: Date,
): Promise<string[]> {
  if (key.patterns.length === 0 || key.clientIds.length === 0) return [];
  const rows = await refusePending(tx, now)
    .where('service_id', '=', key.serviceId)
    .where('generation', 'is not', null)
    .where(isOneOf(key))
    .returning(ENDED_COLUMNS)
    .execute();
  await recordEnds(tx, rows, 'system', now);
  return rows.map(({ id }) => id);
}

/** The same for commands without a service. */
export async function supersedeOnHosts(
  tx: Tx,
  key: { clientIds: readonly string[]; patterns: readonly CommandPattern[] },
  now: Date,
): Promise<string[]> {
  if (key.patterns.length === 0 || key.clientIds.length === 0) return [];
  const rows = await refusePending(tx, now)
    .where('service_id', 'is', null)
    .where(isOneOf(key))
    .returning(ENDED_COLUMNS)
    .execute();
  await recordEnds(tx, rows, 'system', now);
  return rows.map(({ id }) => id);
}

function refusePending(tx: Tx, now: Date) {
  return tx
    .updateTable('commands')
    .set({
      status: 'refused',
      error_code: 'command.superseded',
      error_message: FLEET_ERRORS['command.superseded'].message,
      finished_at: now,
    })
    .where('status', '=', 'pending');
}

function isOneOf({ clientIds, patterns }: { clientIds: readonly string[]; patterns: readonly CommandPattern[] }) {
  const arms = patterns.map(
    ({ type, subType, operation }) =>
      sql<boolean>`(${type} in ('', type) and ${subType} in ('', sub_type) and ${operation} in ('', operation))`,
  );
  return sql<boolean>`client_id = any(${[...clientIds]}::uuid[]) and (${sql.join(arms, sql` or `)})`;
}

export function isClientConnected() {
  return sql<boolean>`exists (
    select from clients where clients.id = commands.client_id and ${isConnected()})`;
}

export function selectCommands(db: Db) {
  return db.selectFrom('commands').selectAll('commands').select(isClientConnected().as('client_connected'));
}

export type CommandRow = RowOf<typeof selectCommands>;

/** Oldest first, the order of execution; at most `limit` of each client. */
export async function findUnfinished(db: Db, clientIds: readonly string[], limit: number): Promise<CommandRow[]> {
  const { rows } = await sql<CommandRow>`
    select commands.*, ${isClientConnected()} as client_connected
    from unnest(${[...clientIds]}::uuid[]) asked (client_id)
      cross join lateral (
        select * from commands
        where commands.client_id = asked.client_id
          and commands.status in (${sql.join([...UNFINISHED])})
        order by fence limit ${limit}
      ) commands
    order by commands.client_id, commands.fence`.execute(db);
  return rows;
}

export function findCommands(db: Db, ids: readonly string[]): Promise<CommandRow[]> {
  return selectCommands(db)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

/** Those of `ids` that have an outcome. */
export async function findFinished(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('commands')
    .select('id')
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('status', 'not in', [...UNFINISHED])
    .execute();
  return rows.map(({ id }) => id);
}

export interface CommandKey {
  readonly id: string;
  readonly clientId: string;
}

export interface SentCommand extends CommandKey {
  readonly now: Date;
}

/**
 * The status, in a form that no index has. After a quiet time the statistics say that no command is open, and the database would
 * read all open commands to find the few of a batch.
 */
const STATUS = sql`(commands.status || '')`;

/** Selects and locks the commands of these keys that no other transaction has locked: waiting could cause deadlocks. */
function freeOf(keys: ReadonlyArray<CommandKey & { readonly now?: Date }>) {
  const given = keys.map(({ id, clientId, now }) => ({ id, client_id: clientId, now }));
  return sql`
    select commands.id, s.now from commands
      join jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as s(id uuid, client_id uuid, now timestamptz)
        on s.id = commands.id and s.client_id = commands.client_id
    for update of commands skip locked`;
}

/**
 * The deadline starts when a command is first sent; sending it again does not change it. Returns the ids that it could look
 * at; the others are locked, or are not commands of their clients.
 */
export async function markFreeSent(db: Db, sent: readonly SentCommand[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with free as materialized (${freeOf(sent)}), marked as (
      update commands set status = 'sent', sent_at = free.now,
        deadline_at = coalesce(deadline_at, free.now + make_interval(secs => timeout_ms / 1000.0))
      from free where commands.id = free.id and ${STATUS} = 'pending'
    )
    select id from free`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Returns the ids as `markFreeSent` does. */
export async function markFreeRunning(db: Db, keys: readonly CommandKey[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    with free as materialized (${freeOf(keys)}), marked as (
      update commands set status = 'running'
      from free where commands.id = free.id and ${STATUS} in ('sent', 'pending')
    )
    select id from free`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Like `markFreeSent`, but waits for the lock. */
export async function markSent(db: Db, { id, clientId, now }: SentCommand): Promise<void> {
  await db
    .updateTable('commands')
    .set({
      status: 'sent',
      sent_at: now,
      deadline_at: sql<Date>`coalesce(deadline_at, ${now}::timestamptz + make_interval(secs => timeout_ms / 1000.0))`,
    })
    .where('id', '=', id)
    .where('client_id', '=', clientId)
    .where('status', '=', 'pending')
    .execute();
}

export async function markRunning(db: Db, key: CommandKey, step: string | undefined): Promise<void> {
  await db
    .updateTable('commands')
    .set({ status: 'running', ...(step === undefined ? {} : { step }) })
    .where('id', '=', key.id)
    .where('client_id', '=', key.clientId)
    .where('status', 'in', ['sent', 'pending', 'running'])
    .execute();
}

/** `unknown` is our own assumption, so a late result of the client replaces it. */
const OPEN: readonly CommandStatus[] = [...UNFINISHED, 'unknown'];

export interface Ending extends CommandKey {
  readonly finding: Finding;
  readonly now: Date;
}

/**
 * Ends the queries among these commands that no other transaction has locked, in one statement, as reported by their
 * clients. Returns their ids. Other kinds have an entry in the audit log, and a deployment may have to wait for its listeners.
 */
export async function finishFreeQueries(tx: Tx, endings: readonly Ending[]): Promise<ReadonlySet<string>> {
  const given = endings.map(({ id, finding: { status, errorCode, errorMessage, result }, now }) => ({
    id,
    status,
    error_code: errorCode,
    error_message: errorMessage,
    result: result ?? null,
    now,
  }));
  const { rows } = await sql<{ id: string }>`
    with free as materialized (${freeOf(endings)}), s as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s(id uuid, status text, error_code text, error_message text, result jsonb, now timestamptz)
    )
    update commands set status = s.status, error_code = s.error_code, error_message = s.error_message,
      result = nullif(s.result, 'null'::jsonb), finished_at = s.now
    from free join s on s.id = free.id
    where commands.id = free.id and commands.kind = 'query' and ${STATUS} in (${sql.join([...OPEN])})
    returning commands.id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * True: stored and recorded now. False: it already had an outcome, or belongs to another client. `by`: whether the
 * client reports the end, or the program, which knows that no result will come.
 */
export async function finish(
  tx: Tx,
  key: { id: string; clientId: string; by: 'client' | 'system' },
  finding: Finding,
  now: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('commands')
    .set({
      status: finding.status,
      error_code: finding.errorCode,
      error_message: finding.errorMessage,
      result: finding.result === null || finding.result === undefined ? null : JSON.stringify(finding.result),
      finished_at: now,
    })
    .where('id', '=', key.id)
    .where('client_id', '=', key.clientId)
    .where('status', 'in', [...OPEN])
    .returning(ENDED_COLUMNS)
    .executeTakeFirst();
  if (row) await recordEnds(tx, [row], key.by, now);
  return row !== undefined;
}

/**
 * Ends commands whose deadline has passed: failed if they were never sent, done if the client reports the wanted
 * generation, else unknown. At most 1,000 at once; returns their ids.
 */
export async function expireCommands(tx: Tx, now: Date): Promise<string[]> {
  const { rows } = await sql<EndedCommand>`
    with late as (
      select id, case
        when status = 'pending' then 'failed'
        when exists (
          select from node_states where node_states.client_id = commands.client_id
            and node_states.service_id = commands.service_id and node_states.generation >= commands.generation
            and node_states.phase <> 'failed') then 'done'
        else 'unknown' end as verdict
      from commands
      where status in ('pending', 'sent', 'running') and deadline_at < ${now}
      order by deadline_at limit 1000 for update skip locked
    )
    update commands set
      status = late.verdict,
      error_code = case late.verdict when 'failed' then 'client.offline' when 'unknown' then 'command.deadline' end,
      error_message = case late.verdict
        when 'failed' then 'The client went away before the command was sent.'
        when 'unknown' then ${FLEET_ERRORS['command.deadline'].message} end,
      finished_at = ${now}
    from late where commands.id = late.id
    returning ${sql.join(ENDED_COLUMNS.map((column) => sql.ref(`commands.${column}`)))}`.execute(tx);
  await recordEnds(tx, rows, 'system', now);
  return rows.map(({ id }) => id);
}

/** Ends all commands of a client that is being removed. */
export async function abandonCommands(tx: Tx, clientId: string, now: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('commands')
    .set({
      status: sql<CommandStatus>`case when status = 'pending' then 'failed' else 'unknown' end`,
      error_code: 'client.removed',
      error_message: FLEET_ERRORS['client.removed'].message,
      finished_at: now,
    })
    .where('client_id', '=', clientId)
    .where('status', 'in', [...UNFINISHED])
    .returning(ENDED_COLUMNS)
    .execute();
  await recordEnds(tx, rows, 'system', now);
  return rows.map(({ id }) => id);
}

/** Whether the command is visible in the scope of `db`. */
export async function isShown(db: Db, id: string): Promise<boolean> {
  return (await findProjectOfCommand(db, id)) !== undefined;
}

export async function findProjectOfCommand(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('commands').select('project_id').where('id', '=', id).executeTakeFirst();
  return row?.project_id;
}
