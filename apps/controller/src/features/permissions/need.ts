import { fail, failIdentity, type Level, type ResourceKind, type ResourceNeed } from '@flotilla/contract';
import type { Database } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { RefusedTarget } from '../../http/denials.ts';
import type { ReachCache } from './reach-cache.ts';
import type { ResourceKey } from './reach-store.ts';

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

export function failPermission({ kind, level }: { kind: ResourceKind; level: Level }): AppError {
  return failIdentity('permission.missing', { kind, level }, { extra: { kind, level } });
}

/** Undefined: nothing can have such a name. */
function toKey({ param, by }: ResourceNeed, request: NamingRequest): ResourceKey | undefined {
  const params = request.params as Record<string, string>;
  const value = params[param] ?? '';
  if (by === 'id') return UUID.test(value) ? { id: value } : undefined;
  const { version } = request.query as Record<string, unknown>;
  return { name: value, collection: params.collection, version: typeof version === 'string' ? version : undefined };
}
