import { type Closable, type Logger, sleep, withDeadline } from '@flotilla/kit';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { HOLDING_TYPES, LargeValues } from './light-work.ts';
import { type DbScope, formatScope, ScopedPool } from './scope.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;
/** A transaction. Every write runs in one. */
export type Tx = Transaction<Tables>;

// Our bigint columns (revisions, generations, sequence numbers) stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type ConnectionSettings = { readonly url: string } | pg.PoolConfig;

export interface Database extends Closable {
  /** Sees all rows: for background work. */
  readonly db: Db;
  /** Sees only the rows of one scope. Cheap: all scopes share one pool. */
  scoped(scope: DbScope): Db;
  readonly settings: pg.PoolConfig;
  /** The role that each connection assumes, if it is not the login role. */
  readonly role: string | undefined;
  /**
   * Calls `onNotify` for every NOTIFY on `channel`, and `onGap` whenever notifications may have been missed (after a
   * reconnect): the caller must then read the tables again. Returns a function that stops listening.
   */
  listen(channel: string, handlers: { onNotify(payload: string): void; onGap(): void }): Promise<() => Promise<void>>;
}

/** Limit of cached scopes (of projects and users); evicted ones are recreated on demand. */
const SCOPES_KEPT = 1000;

/**
 * Detects a connection whose peer has vanished (a network that dropped it, a machine that lost power); without this a
 * listener would wait forever. Node then probes ten times, a second apart.
 */
const LIVENESS: pg.PoolConfig = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
};

const LISTEN_DEADLINE_MS = 10_000;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  /** Each connection assumes this role instead of its login role. */
  readonly role?: string;
}

export function openDatabase(
  settings: ConnectionSettings,
  logger: Logger,
  { maxConnections = 20, role }: DatabaseOptions = {},
): Database {
  const config: pg.PoolConfig = {
    ...('url' in settings ? { connectionString: settings.url } : settings),
    ...LIVENESS,
  };
  const pool = new pg.Pool({ ...config, max: maxConnections, types: HOLDING_TYPES });
  // The server dropped an idle connection; the pool replaces it. Logs only the message, because the error contains the
  // whole connection, including the key that cancels its queries.
  pool.on('error', (error) => logger.warn({ reason: error.message }, 'database.connection_lost'));
  // The same for a connection in use, between two queries of a transaction: without a listener it would end the
  // process.
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.debug({ reason: error.message }, 'database.client_lost'));
  });
  const scopes = new LRUCache<string, Db>({ max: SCOPES_KEPT });
  const scoped = (scope: DbScope): Db => {
    const text = formatScope(scope);
    const db =
      scopes.get(text) ??
      new Kysely<Tables>({
        dialect: new PostgresDialect({ pool: new ScopedPool(pool, text, role) }),
        plugins: [new LargeValues()],
      });
    scopes.set(text, db);
    return db;
  };
  const db = scoped({ kind: 'everything' });
  let ended: Promise<void> | undefined;
  const listeners = new Set<() => Promise<void>>();
  return {
    db,
    scoped,
    settings: config,
    role,
    async listen(channel, handlers) {
      const stop = await listenForever(config, channel, handlers, logger);
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    async close() {
      await Promise.all([...listeners].map((stop) => stop()));
      ended ??= pool.end();
      await ended;
    },
  };
}

async function listenForever(
  config: pg.PoolConfig,
  channel: string,
  handlers: { onNotify(payload: string): void; onGap(): void },
  logger: Logger,
): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  // Connects before it returns, so that later writes are not missed.
  let connection = await connectListener(config, channel, handlers.onNotify);

  const keepListening = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await connection.lost;
      if (stopped.signal.aborted) return;
      logger.warn({ channel }, 'database.listen_lost');
      while (!stopped.signal.aborted) {
        try {
          connection = await connectListener(config, channel, handlers.onNotify);
          handlers.onGap();
          break;
        } catch {
          await sleep(100, stopped.signal);
        }
      }
    }
    await connection.client.end();
  };
  const kept = keepListening();
  return async () => {
    stopped.abort();
    await connection.client.end();
    await kept;
  };
}

interface ListenerConnection {
  readonly client: pg.Client;
  /** Resolves when the connection is lost. */
  readonly lost: Promise<void>;
}

async function connectListener(
  config: pg.PoolConfig,
  channel: string,
  onNotify: (payload: string) => void,
): Promise<ListenerConnection> {
  const client = new pg.Client(config);
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  await client.connect();
  client.on('notification', ({ payload }) => onNotify(payload ?? ''));
  try {
    await withDeadline(client.query(`listen "${channel}"`), LISTEN_DEADLINE_MS, 'LISTEN is not answered');
  } catch (error) {
    // If the server accepts connections but refuses LISTEN (during recovery), retries must not use up its connections.
    await client.end();
    throw error;
  }
  return { client, lost };
}

/** Changes the scope for the rest of the transaction. */
export async function setScope(tx: Tx, scope: DbScope): Promise<void> {
  await sql`select set_config('flotilla.scope', ${formatScope(scope)}, true)`.execute(tx);
}
