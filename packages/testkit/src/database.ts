import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Database,
  type Db,
  digestMigrations,
  EmbeddedServer,
  type Migrations,
  migrateToLatest,
  openDatabase,
} from '@flotilla/db';
import { createSilentLogger, withFileLock } from '@flotilla/kit';
import pg from 'pg';
import { chooseScratchParent } from './scratch.ts';

/** Environment variable for the workers: how to connect to the server of the run (`holdTestServer`). */
const HELD_SERVER = 'FLOTILLA_TEST_SERVER';
const logger = createSilentLogger();
/** Templates that this process has used. */
const templates = new Set<string>();

/** A server for temporary databases. */
export interface TestServer {
  /** Settings of the superuser, who owns and migrates the tables. */
  connection(database: string): pg.PoolConfig;
  /** Settings of the application's role. */
  appConnection(database: string): pg.PoolConfig;
  close(): Promise<void>;
}

/**
 * Keeps one server for all test files of a run until the returned function is called; otherwise each would start and
 * stop it. Processes that start later need not find it and register there.
 */
export async function holdTestServer(): Promise<() => Promise<void>> {
  const server = await startTestServer();
  await dropLeftOver(server);
  const held: HeldServer = { owner: server.connection(''), app: server.appConnection('') };
  process.env[HELD_SERVER] = JSON.stringify(held);
  return async () => {
    delete process.env[HELD_SERVER];
    await server.close();
  };
}

interface HeldServer {
  readonly owner: pg.PoolConfig;
  readonly app: pg.PoolConfig;
}

async function openTestServer(): Promise<TestServer> {
  const held: HeldServer | undefined = JSON.parse(process.env[HELD_SERVER] ?? 'null') ?? undefined;
  if (!held) return startTestServer();
  return {
    connection: (database) => ({ ...held.owner, database }),
    appConnection: (database) => ({ ...held.app, database }),
    close: async () => {},
  };
}

/** Shared by all callers; the last one to close it stops it. */
async function startTestServer(): Promise<EmbeddedServer> {
  const checkout = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8);
  const dataDir = join(chooseScratchParent(), `flotilla-test-db-${checkout}`);
  return EmbeddedServer.open({ dataDir, logger, durable: false });
}

export interface TestDatabase extends Database {
  readonly server: TestServer;
  readonly name: string;
  /** The superuser, for what the application may not do to the tables. */
  readonly owner: Db;
}

/**
 * A fresh database on the test server with the migrations of the database package and of these features, used as the
 * application's role. `close()` drops it.
 */
export async function createTestDatabase(ofFeatures: Migrations): Promise<TestDatabase> {
  return createCopy((server) => ensureTemplate(server, ofFeatures));
}

/** A database without tables, for what runs before the latest schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createCopy(async () => 'template0');
}

async function createCopy(chooseTemplate: (server: TestServer) => Promise<string>): Promise<TestDatabase> {
  const server = await openTestServer();
  const template = await chooseTemplate(server);
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  // Half the work of copying through the log; nothing here must survive a crash.
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

/**
 * Returns the name of the template with these migrations. Another set of migrations has another template, so no test runs on
 * an outdated schema. It stays on disk while the server is stopped.
 */
async function ensureTemplate(server: TestServer, ofFeatures: Migrations): Promise<string> {
  const name = `flotilla_template_${digestMigrations(ofFeatures)}`;
  if (templates.has(name)) return name;
  await withFileLock(join(tmpdir(), 'flotilla-test-template.lock'), () => makeTemplate(server, name, ofFeatures));
  templates.add(name);
  return name;
}

async function makeTemplate(server: TestServer, name: string, ofFeatures: Migrations): Promise<void> {
  const existing = await query(server, `select from pg_database where datname = '${name}'`);
  if (existing.length === 0) await query(server, `create database ${name}`);
  const template = openDatabase(server.connection(name), logger, { maxConnections: 1 });
  try {
    await migrateToLatest(template.db, { ofFeatures });
  } finally {
    await template.close();
  }
}

/** Databases of killed runs, and old templates: in memory they would stay until the machine restarts. */
async function dropLeftOver(server: TestServer): Promise<void> {
  const left = await query<{ name: string }>(
    server,
    `select datname as name from pg_database d
    where datname ~ '^(t|flotilla_template)_'
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
