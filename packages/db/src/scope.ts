import type { PostgresPool } from 'kysely';
import type pg from 'pg';

/**
 * Whose rows a connection sees and writes, by the policies of guarded tables (migration 0013).
 * nothing     no guarded row at all
 * project     rows of one project; `reader`: of what permissions list, only what this member may reach; `maker`: all of it, what
 *             is made is given to this member, and what they may not change is not changed (migration 0020)
 * user        rows that are a user's own, whatever the project
 * everything  all rows: background work, and owners of the installation where they act on all of it
 */
export type DbScope =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'project'; readonly projectId: string; readonly reader?: string; readonly maker?: string }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'everything' };

/** The value of the connection's setting `flotilla.scope`. */
export function formatScope(scope: DbScope): string {
  switch (scope.kind) {
    case 'nothing':
      return '';
    case 'project':
      if (scope.reader !== undefined) return `project:${scope.projectId}:reader:${scope.reader}`;
      return `project:${scope.projectId}${scope.maker === undefined ? '' : `:maker:${scope.maker}`}`;
    case 'user':
      return `user:${scope.userId}`;
    case 'everything':
      return 'everything';
  }
}

/** The scope that each connection was last set to; a new one has none yet. */
const scopeOf = new WeakMap<pg.PoolClient, string>();

/** Lends the connections of a pool, each in one scope. Only a connection that comes from another scope costs a round trip. */
export class ScopedPool implements PostgresPool {
  readonly options: object;
  readonly #pool: pg.Pool;
  readonly #scope: string;
  readonly #role: string | undefined;

  constructor(pool: pg.Pool, scope: string, role: string | undefined) {
    this.options = pool.options;
    this.#pool = pool;
    this.#scope = scope;
    this.#role = role;
  }

  async connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    const isNew = !scopeOf.has(client);
    if (scopeOf.get(client) === this.#scope) return client;
    try {
      // Not in a transaction: a rollback would take it back, and we would not know.
      if (isNew && this.#role !== undefined) await client.query("select set_config('role', $1, false)", [this.#role]);
      await client.query("select set_config('flotilla.scope', $1, false)", [this.#scope]);
    } catch (error) {
      // Whose rows it shows is not known.
      client.release(true);
      throw error;
    }
    scopeOf.set(client, this.#scope);
    return client;
  }

  /** The pool is shared by all scopes and ends with the database. */
  async end(): Promise<void> {}
}
