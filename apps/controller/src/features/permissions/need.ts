import { fail, failIdentity, type Level, type ResourceKind, type ResourceNeed } from '@flotilla/contract';
import type { Database, Db } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { RefusedTarget } from '../../http/denials.ts';
import type { ReachCache } from './reach-cache.ts';
import { findReach, isThere, type Reader, type ResourceKey } from './reach-store.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What of a request names the thing. */
interface NamingRequest {
  readonly params: unknown;
  readonly query: unknown;
  /** For the audit record of a refusal. */
  refused: RefusedTarget | undefined;
}

/**
 * Lets a request pass whose caller may do what the route does to the one thing that it names. What they may not see is not
 * there, whether it exists or not: record.not_found. What they may only see or use: permission.missing.
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
 * The same of a write that the database does not judge, asked of the rows. One answer, permission.missing, whatever the write
 * would have come to and as the database refuses one that changes something: else a guess at the content would be told right
 * from wrong. Of what is not there (any more) nothing is kept.
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

/** Undefined: nothing can have such a name. */
function toKey({ param, by }: ResourceNeed, request: Pick<NamingRequest, 'params' | 'query'>): ResourceKey | undefined {
  const params = request.params as Record<string, string>;
  const value = params[param] ?? '';
  if (by === 'id') return UUID.test(value) ? { id: value } : undefined;
  const { version } = request.query as Record<string, unknown>;
  return { name: value, collection: params.collection, version: typeof version === 'string' ? version : undefined };
}
