import type { PostgresPool } from 'kysely';
import type pg from 'pg';

/**
 * The rows that a connection sees and writes, by the policies of protected tables (`migrations/0001-row-scope.ts`).
 * - `nothing`: no protected row.
 * - `project`: rows of one project. With `reader`: only those restricted resources that this member may access. With
 *   `maker`: all rows; what is created is granted to this member, and what they may not change stays unchanged.
 * - `user`: a user's own rows, in any project.
 * - `everything`: all rows, for background work and for owners of the installation who act on all of it.
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

/** The current scope of each connection; a new one has none. */
const scopeOf = new WeakMap<pg.PoolClient, string>();

/** Lends the connections of a pool, each in one scope. Only changing a connection's scope costs a round trip. */
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
      // Outside of transactions: a rollback would undo it without our knowledge.
      if (isNew && this.#role !== undefined) await client.query("select set_config('role', $1, false)", [this.#role]);
      await client.query("select set_config('flotilla.scope', $1, false)", [this.#scope]);
    } catch (error) {
      // Its scope is unknown.
      client.release(true);
      throw error;
    }
    scopeOf.set(client, this.#scope);
    return client;
  }

  /** The pool is shared by all scopes and ends with the database. */
  async end(): Promise<void> {}
}
