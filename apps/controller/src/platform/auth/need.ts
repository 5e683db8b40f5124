import { fail, failIdentity, type Level, type ResourceKind, type ResourceNeed } from '@flotilla/contract';
import type { Database, Db } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { RefusedTarget } from '../http/refused-target.ts';
import type { ReachCache } from './reach-cache.ts';
import { findReach, isThere, type Reader, type ResourceKey } from './reach-store.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The parts of a request that name the resource. */
interface NamingRequest {
  readonly params: unknown;
  readonly query: unknown;
  /** Set for the audit entry of a refusal. */
  refused: RefusedTarget | undefined;
}

/**
 * Checks the caller's permission on the resource that the request names. Throws record.not_found if they may not see
 * it, whether it exists or not, and permission.missing if they may see or use it but need more.
 */
export async function requireNeed(
  need: ResourceNeed,
  request: NamingRequest,
  deps: {
    readonly database: Pick<Database, 'db'>;
    readonly reached: Pick<ReachCache, 'find'>;
    readonly scope: { readonly id: string; readonly role: string; readonly reader: string };
  },
): Promise<void> {
  const { scope, database, reached } = deps;
  const key = toKey(need, request);
  const reader = { projectId: scope.id, userId: scope.reader };
  const question = key && { kind: need.kind, level: need.level, key };
  const reach = question && (await reached.find(database.db, reader, question));
  if (reach === 'enough') return;
  if (reach === 'visible') throw failPermission(need);
  request.refused = { projectId: scope.id, hidden: true };
  const params = request.params as Record<string, string>;
  throw fail('record.not_found', { kind: need.kind, name: params[need.param] ?? '' });
}

/**
 * Checks a write against the stored permissions when the database does not judge it (no change, dry run, refusal).
 * Always answers permission.missing, as the database does for a real change; otherwise a caller could guess the content
 * and learn from the answer. Passes if the resource does not exist (any more).
 */
export async function requireStill(
  need: ResourceNeed,
  request: Pick<NamingRequest, 'params' | 'query'>,
  { db, reader }: { readonly db: Db; readonly reader: Reader },
): Promise<void> {
  const key = toKey(need, request);
  if (!key || (await findReach(db, reader, { kind: need.kind, level: need.level, key })) === 'enough') return;
  if (await isThere(db, reader.projectId, { kind: need.kind, key })) throw failPermission(need);
}

export function failPermission({ kind, level }: { kind: ResourceKind; level: Level }): AppError {
  return failIdentity('permission.missing', { kind, level }, { extra: { kind, level } });
}

/** undefined: no resource can have such a name. */
function toKey({ param, by }: ResourceNeed, request: Pick<NamingRequest, 'params' | 'query'>): ResourceKey | undefined {
  const params = request.params as Record<string, string>;
  const value = params[param] ?? '';
  if (by === 'id') return UUID.test(value) ? { id: value } : undefined;
  const { version } = request.query as Record<string, unknown>;
  return { name: value, collection: params.collection, version: typeof version === 'string' ? version : undefined };
}
