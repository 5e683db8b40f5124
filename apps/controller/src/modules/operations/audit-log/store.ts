import { type AuditEntryView, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type Expression, type SqlBool, sql } from 'kysely';
import { containing } from '../../../platform/database/paging.ts';

export interface AuditFilter {
  /** undefined: every project, and entries without one. */
  readonly projectId: string | undefined;
  /** Ids or names. */
  readonly user?: readonly string[] | undefined;
  readonly user_id?: readonly string[] | undefined;
  readonly action?: readonly string[] | undefined;
  readonly resource_type?: readonly string[] | undefined;
  readonly resource_id?: readonly string[] | undefined;
  readonly outcome?: readonly AuditEntryView['outcome'][] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Part of the actor's name. */
  readonly username?: string | undefined;
  /** Part of actor, action, resource or path; or a request id. */
  readonly q?: string | undefined;
  /** Words of `q` to query the index with; the results are then filtered by `q`. undefined: use all of `q`. */
  readonly telling?: readonly string[] | undefined;
}

export function selectEntries(db: Db, filter: AuditFilter) {
  const { projectId, user, user_id: userId, action, resource_type: type, resource_id: id, outcome, from, to } = filter;
  let query = db.selectFrom('audit_log');
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (user) query = query.where(isOneOf(user));
  if (userId) query = query.where('actor_id', 'in', userId);
  if (action) query = query.where('action', 'in', action);
  if (type) query = query.where('resource_type', 'in', type);
  if (id) query = query.where('resource_id', 'in', id);
  if (outcome) query = query.where('outcome', 'in', outcome);
  if (from) query = query.where('at', '>=', new Date(from));
  if (to) query = query.where('at', '<', new Date(to));
  const text = containsText(filter);
  return text ? query.where(text) : query;
}

const ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export function isId(user: string): boolean {
  return ID.test(user);
}

/** Separates ids from names where possible: each has an index in list order. */
function isOneOf(users: readonly string[]): Expression<SqlBool> {
  const byName = sql<SqlBool>`actor_name in (${sql.join(users)})`;
  if (!users.some(isId)) return byName;
  return sql<SqlBool>`(actor_id in (${sql.join(users)}) or ${byName})`;
}

/** The format of request ids that the server accepts. */
const REQUEST_ID = /^[\w.-]{8,128}$/;

/** The condition for the searched text. undefined: none. */
export function containsText({ q, telling, username }: AuditFilter): Expression<SqlBool> | undefined {
  const conditions = [
    ...(q
      ? [REQUEST_ID.test(q) ? sql<SqlBool>`(${isFound(q, telling)} or request_id = ${q})` : isFound(q, telling)]
      : []),
    ...(username ? [isInText(username), sql<SqlBool>`lower(actor_name) like lower(${containing(username)})`] : []),
  ];
  return conditions.length === 0 ? undefined : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

function isFound(q: string, telling: readonly string[] | undefined): Expression<SqlBool> {
  if (!telling) return isInText(q);
  // Written differently from the index expression, so that the index is not used for it.
  const inAll = sql<SqlBool>`(audit_text(actor_name, action, resource_name, path) || '') like lower(${containing(q)})`;
  return sql<SqlBool>`(${sql.join([...telling.map(isInText), inAll], sql` and `)})`;
}

/** The expression of the index in `platform/audit/migration.ts`. */
export function isInText(text: string): Expression<SqlBool> {
  return sql<SqlBool>`audit_text(actor_name, action, resource_name, path) like lower(${containing(text)})`;
}

export async function findEntry(db: Db, id: string, projectId: string | undefined): Promise<AuditEntryView> {
  const row = await selectEntries(db, { projectId }).selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'audit entry', name: id });
  return toView(row);
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
