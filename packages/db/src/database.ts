import { type Closable, type Logger, sleep, withDeadline } from '@flotilla/kit';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './schema/tables.ts';
import { type DbScope, formatScope, ScopedPool } from './scope.ts';

export type Db = Kysely<Tables>;
/** A transaction; every write goes through one. */
export type Tx = Transaction<Tables>;

// bigint columns of ours (revisions, generations, sequence numbers) stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type ConnectionSettings = { readonly url: string } | pg.PoolConfig;

export interface Database extends Closable {
  /** In the scope of everything: for background work. */
  readonly db: Db;
  /** The rows of one scope only. Cheap: all scopes share one pool. */
  scoped(scope: DbScope): Db;
  readonly settings: pg.PoolConfig;
  /**
   * Calls `onNotify` for every NOTIFY on `channel`, and `onGap` whenever notifications may have been missed (after a
   * reconnect): then the caller reads the tables again. Returns a function that stops listening.
   */
  listen(channel: string, handlers: { onNotify(payload: string): void; onGap(): void }): Promise<() => Promise<void>>;
}

/** Of projects and users that come and go; one that is forgotten is made again. */
const SCOPES_KEPT = 1000;

/**
 * Of a connection whose other end is gone without a word (a network that forgets it, a machine that lost power) nothing would
 * ever be heard: a listener would wait for ever. Node asks ten times, a second apart, from then on.
 */
const LIVENESS: pg.PoolConfig = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
};

const LISTEN_DEADLINE_MS = 10_000;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  /** Each connection works as this role instead of the one that it signs in as. */
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
  const pool = new pg.Pool({ ...config, max: maxConnections });
  // An idle connection that the server drops: the pool replaces it, the next query gets a new one. Of the error only its
  // message is told: it carries the whole connection, and the key that cancels what that does.
  pool.on('error', (error) => logger.warn({ reason: error.message }, 'database.connection_lost'));
  // One that is lent out, too, between two queries of a transaction: without a listener it would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.debug({ reason: error.message }, 'database.client_lost'));
  });
  const scopes = new Map<string, Db>();
  const scoped = (scope: DbScope): Db => {
    const text = formatScope(scope);
    const db =
      scopes.get(text) ??
      new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new ScopedPool(pool, text, role) }) });
    // Put back at the end, so that the first is the one that was asked for longest ago.
    scopes.delete(text);
    scopes.set(text, db);
    if (scopes.size > SCOPES_KEPT) scopes.delete(scopes.keys().next().value ?? text);
    return db;
  };
  const db = scoped({ kind: 'everything' });
  let ended: Promise<void> | undefined;
  const listeners = new Set<() => Promise<void>>();
  return {
    db,
    scoped,
    settings: config,
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
  // The first connection must stand before we return: whoever writes after that is heard.
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
  /** Resolves when the connection is gone. */
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
    // A server that takes connections and refuses this (one in recovery) would be asked again until it has none left.
    await client.end();
    throw error;
  }
  return { client, lost };
}
