import { createHash, randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type Db, digestMigrations, EmbeddedServer, migrateToLatest, openDatabase } from '@flotilla/db';
import { createSilentLogger, withFileLock } from '@flotilla/kit';
import pg from 'pg';

/** Another set of migrations is another template: no test runs on a stale schema. */
const TEMPLATE = `flotilla_template_${digestMigrations()}`;
const MEMORY_FOLDER = '/dev/shm';
/** Far more than the databases of all tests that run at the same time, and their log. */
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;
const logger = createSilentLogger();
let isTemplateMade = false;

/** One throw-away server for all test files that run at the same time; the last one to close stops it. */
export async function openTestServer(): Promise<EmbeddedServer> {
  const checkout = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8);
  return EmbeddedServer.open({ dataDir: join(serverParent(), `flotilla-test-db-${checkout}`), logger, durable: false });
}

/**
 * In memory where there is plenty. A database is 700 files, and ext4 looks at every file that was deleted within the last
 * minute before it makes one: where databases come and go, each takes half a second there and 0.04 here.
 */
function serverParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, freemem()) > MEMORY_NEEDED_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

export interface TestDatabase extends Database {
  readonly server: EmbeddedServer;
  readonly name: string;
  /** The superuser who owns the tables: for what no application may do to them. */
  readonly owner: Db;
}

/** A fresh, migrated database of its own on the test server, asked as the application's role. `close()` drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await openTestServer();
  await ensureTemplate(server);
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  // Half the work of a copy by the log, and nothing here has to outlive a crash.
  await query(server, `create database ${name} template ${TEMPLATE} strategy file_copy`);
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

async function query(server: EmbeddedServer, text: string): Promise<void> {
  const client = new pg.Client(server.connection('postgres'));
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
