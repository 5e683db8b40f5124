import { type AuditEntryView, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type Expression, type SqlBool, sql } from 'kysely';
import { executePage, type ListQuery, type ListRules, parsePage } from '../../http/paging.ts';

const RULES: ListRules = { sortable: { at: 'audit_log.at' }, defaultSort: '-at', id: 'audit_log.id' };
const TOP = 20;

export interface AuditFilter {
  /** Undefined: every project, and what concerns none. */
  readonly projectId: string | undefined;
  readonly user?: readonly string[] | undefined;
  readonly action?: readonly string[] | undefined;
  readonly resource_type?: readonly string[] | undefined;
  readonly resource_id?: readonly string[] | undefined;
  readonly outcome?: readonly AuditEntryView['outcome'][] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string | undefined;
}

function selectEntries(db: Db, filter: AuditFilter) {
  const { projectId, user, action, resource_type: type, resource_id: id, outcome, from, to, q } = filter;
  let query = db.selectFrom('audit_log');
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (user) query = query.where(isOneOf(user));
  if (action) query = query.where('action', 'in', action);
  if (type) query = query.where('resource_type', 'in', type);
  if (id) query = query.where('resource_id', 'in', id);
  if (outcome) query = query.where('outcome', 'in', outcome);
  if (from) query = query.where('at', '>=', new Date(from));
  if (to) query = query.where('at', '<', new Date(to));
  if (q) query = query.where(containsText(q));
  return query;
}

const ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Ids and names are asked for apart where they can be told apart: each has an index in the order of the list. */
function isOneOf(users: readonly string[]): Expression<SqlBool> {
  const names = users.filter((user) => !ID.test(user));
  const byName = sql<SqlBool>`actor_name in (${sql.join(users)})`;
  if (names.length === users.length) return byName;
  return sql<SqlBool>`(actor_id in (${sql.join(users)}) or ${byName})`;
}

/** In the words of the index of migration 0017. */
function containsText(text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`audit_text(actor_name, action, resource_name, path, request_id) like lower(${pattern})`;
}

export async function listEntries(db: Db, filter: AuditFilter & ListQuery) {
  const page = parsePage(filter, RULES);
  const { rows, next_cursor } = await executePage(selectEntries(db, filter).selectAll(), page);
  return { items: rows.map(toView), next_cursor };
}

export async function findEntry(db: Db, id: string, projectId: string | undefined): Promise<AuditEntryView> {
  const row = await selectEntries(db, { projectId }).selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'audit entry', name: id });
  return toView(row);
}

export async function countEntries(db: Db, filter: AuditFilter) {
  const count = sql<number>`count(*)::int`.as('count');
  const top = (column: 'action' | 'actor_name' | 'resource_type') =>
    selectEntries(db, filter)
      .select([`${column} as name`, count])
      .where(column, 'is not', null)
      .groupBy(column)
      .orderBy('count', 'desc')
      .orderBy(column)
      .limit(TOP)
      .execute();
  const [outcomes, actions, users, types] = await Promise.all([
    selectEntries(db, filter).select(['outcome', count]).groupBy('outcome').execute(),
    top('action'),
    top('actor_name'),
    top('resource_type'),
  ]);
  const of = (outcome: string) => outcomes.find((row) => row.outcome === outcome)?.count ?? 0;
  const named = (rows: readonly { name: string | null; count: number }[]) =>
    rows.map(({ name, count: total }) => ({ name: name ?? '', count: total }));
  return {
    total: outcomes.reduce((sum, row) => sum + row.count, 0),
    outcomes: { done: of('done'), denied: of('denied'), failed: of('failed') },
    top_actions: named(actions),
    top_users: named(users),
    top_resource_types: named(types),
  };
}

export type AuditRow = Awaited<
  ReturnType<ReturnType<ReturnType<typeof selectEntries>['selectAll']>['executeTakeFirstOrThrow']>
>;

export function toView(row: AuditRow): AuditEntryView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    project: row.project_id,
    actor: {
      kind: row.actor_kind as AuditEntryView['actor']['kind'],
      id: row.actor_id,
      name: row.actor_name,
      role: row.actor_role,
    },
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    outcome: row.outcome,
    status: row.status,
    error_code: row.error_code,
    request: {
      id: row.request_id,
      method: row.method,
      path: row.path,
      client_ip: row.client_ip,
      user_agent: row.user_agent,
    },
    changes: row.changes,
  };
}
