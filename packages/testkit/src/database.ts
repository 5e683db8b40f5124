import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type Db, digestMigrations, EmbeddedServer, migrateToLatest, openDatabase } from '@flotilla/db';
import { createSilentLogger, withFileLock } from '@flotilla/kit';
import pg from 'pg';
import { chooseScratchParent } from './scratch.ts';

/** Another set of migrations is another template: no test runs on a stale schema. */
const TEMPLATE = `flotilla_template_${digestMigrations()}`;
/** In the environment of the workers: how the server is reached that the run holds (`holdTestServer`). */
const HELD_SERVER = 'FLOTILLA_TEST_SERVER';
const logger = createSilentLogger();
let isTemplateMade = false;

/** A server of throw-away databases. */
export interface TestServer {
  /** Of the superuser who owns and migrates. */
  connection(database: string): pg.PoolConfig;
  /** Of the role that the application works as. */
  appConnection(database: string): pg.PoolConfig;
  close(): Promise<void>;
}

/**
 * Keeps one server for all test files of a run, until the returned function is called: each would start and stop it
 * otherwise. Processes that are started from now on need not find it and register there.
 */
export async function holdTestServer(): Promise<() => Promise<void>> {
  const server = await startTestServer();
  await dropLeftOver(server);
  const held: HeldServer = { template: TEMPLATE, owner: server.connection(''), app: server.appConnection('') };
  process.env[HELD_SERVER] = JSON.stringify(held);
  return async () => {
    delete process.env[HELD_SERVER];
    await server.close();
  };
}

interface HeldServer {
  readonly template: string;
  readonly owner: pg.PoolConfig;
  readonly app: pg.PoolConfig;
}

/** With the template. */
async function openTestServer(): Promise<TestServer> {
  const held: HeldServer | undefined = JSON.parse(process.env[HELD_SERVER] ?? 'null') ?? undefined;
  // While tests are watched, migrations change.
  if (held?.template !== TEMPLATE) return startTestServer();
  return {
    connection: (database) => ({ ...held.owner, database }),
    appConnection: (database) => ({ ...held.app, database }),
    close: async () => {},
  };
}

/** One for all who ask; the last one to close stops it. */
async function startTestServer(): Promise<EmbeddedServer> {
  const checkout = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8);
  const dataDir = join(chooseScratchParent(), `flotilla-test-db-${checkout}`);
  const server = await EmbeddedServer.open({ dataDir, logger, durable: false });
  await ensureTemplate(server);
  return server;
}

export interface TestDatabase extends Database {
  readonly server: TestServer;
  readonly name: string;
  /** The superuser who owns the tables: for what no application may do to them. */
  readonly owner: Db;
}

/** A fresh, migrated database of its own on the test server, asked as the application's role. `close()` drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createCopy(TEMPLATE);
}

/** The same without a table in it: for what comes before the newest schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createCopy('template0');
}

async function createCopy(template: string): Promise<TestDatabase> {
  const server = await openTestServer();
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  // Half the work of a copy by the log, and nothing here has to outlive a crash.
  await query(server, `create database ${name} template ${template} strategy file_copy`);
  const database = openDatabase(server.appConnection(name), logger, { maxConnections: 8 });
  const owner = openDatabase(server.connection(name), logger, { maxConnections: 2 });
  return {
    ...database,
    server,
    name,
    owner: owner.db,
    async close() {
      await owner.close();
      await database.close();
      await query(server, `drop database if exists ${name} with (force)`);
      await server.close();
    },
  };
}

/** Once per process: it stays on the disk while the server is stopped. */
async function ensureTemplate(server: EmbeddedServer): Promise<void> {
  if (isTemplateMade) return;
  await withFileLock(join(tmpdir(), 'flotilla-test-template.lock'), () => makeTemplate(server));
  isTemplateMade = true;
}

async function makeTemplate(server: EmbeddedServer): Promise<void> {
  await server.createDatabaseIfMissing(TEMPLATE);
  const template = openDatabase(server.connection(TEMPLATE), logger, { maxConnections: 1 });
  try {
    await migrateToLatest(template.db);
  } finally {
    await template.close();
  }
}

/** What runs that were killed have left, and templates of before: in memory they would stay until the machine starts anew. */
async function dropLeftOver(server: TestServer): Promise<void> {
  const left = await query<{ name: string }>(
    server,
    `select datname as name from pg_database d
    where datname ~ '^(t|flotilla_template)_' and datname <> '${TEMPLATE}'
      and (pg_stat_file('base/' || oid || '/PG_VERSION')).modification < now() - interval '1 day'
      and not exists (select from pg_stat_activity where datid = d.oid)`,
  );
  for (const { name } of left) await query(server, `drop database if exists ${name}`);
}

async function query<Row extends pg.QueryResultRow>(server: TestServer, text: string): Promise<readonly Row[]> {
  const client = new pg.Client(server.connection('postgres'));
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
