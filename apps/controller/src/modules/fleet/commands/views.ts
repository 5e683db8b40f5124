import type { CommandKind, CommandListItem, CommandOutcome, CommandResultRecord } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { Rows } from '../../../platform/database/records.ts';
import { toOutcome } from './model.ts';
import { type CommandRow, isClientConnected, selectCommands } from './store.ts';

const COMMANDS = new Rows<CommandRow, CommandListItem, CommandListQuery>({
  sortable: { created_at: 'commands.created_at' },
  defaultSort: '-created_at',
  id: 'commands.id',
  filters: {
    client_id: 'commands.client_id',
    service_id: 'commands.service_id',
    type: 'commands.type',
    kind: isOfKind,
    outcome: hasOutcome,
  },
  toView: toListItem,
});

export interface CommandListQuery extends ListQuery {
  readonly client_id?: readonly string[] | undefined;
  readonly service_id?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly outcome?: readonly CommandOutcome[] | undefined;
  readonly kind?: readonly CommandKind[] | undefined;
}

export const listCommands = (db: Db, projectId: string, query: CommandListQuery) =>
  COMMANDS.list(selectCommands(db).where('commands.project_id', '=', projectId), query);

/** Written without parameters where a partial index is needed: PostgreSQL cannot match one with parameters. */
export function isOfKind(kinds: readonly CommandKind[]): RawBuilder<SqlBool> {
  const others = kinds.filter((kind) => kind !== 'query');
  if (others.length === 0) return sql<SqlBool>`commands.kind = 'query'`;
  const isNamed = sql<SqlBool>`commands.kind = any(${[...kinds]})`;
  return others.length === kinds.length ? sql<SqlBool>`commands.kind <> 'query' and ${isNamed}` : isNamed;
}

/** The SQL version of toOutcome; a test keeps the two equal. */
function hasOutcome(outcomes: readonly CommandOutcome[]): RawBuilder<SqlBool> {
  const arms = outcomes.map((outcome) => {
    switch (outcome) {
      case 'pending':
        return sql`(status = 'pending' and not ${isClientConnected()})`;
      case 'running':
        return sql`(status in ('sent', 'running') or (status = 'pending' and ${isClientConnected()}))`;
      default:
        return sql`status = ${outcome}`;
    }
  });
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

function toListItem(row: CommandRow): CommandListItem {
  const { result: _, ...item } = toRecord(row);
  return item;
}

/** The current state of a target whose first result was `result`. */
export function advanceResult(result: CommandResultRecord, row: CommandRow | undefined): CommandResultRecord {
  if (!row) return result;
  const { error: _, result: __, ...identity } = result;
  return { ...identity, ...describe(row) };
}

export function toRecord(row: CommandRow) {
  return {
    id: row.id,
    project: row.project_id,
    client_id: row.client_id,
    client_name: row.client_name,
    service_id: row.service_id,
    type: row.type,
    sub_type: row.sub_type,
    operation: row.operation,
    kind: row.kind,
    step: row.step,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    deadline_at: row.deadline_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    ...describe(row),
  };
}

function describe(row: CommandRow) {
  const endedAt = row.finished_at ?? new Date();
  return {
    outcome: toOutcome(row.status, row.client_connected),
    duration_ms: Math.max(0, endedAt.getTime() - row.created_at.getTime()),
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? '' } }),
    ...(row.result === null || row.result === undefined ? {} : { result: row.result }),
  };
}
