import { join } from 'node:path';
import {
  APP_ROLE,
  type ConnectionSettings,
  compareMigrations,
  type Database,
  EmbeddedServer,
  findLogin,
  migrateToLatest,
  openDatabase,
  requireHeldByPolicies,
} from '@flotilla/db';
import type { Lifecycle, Logger } from '@flotilla/kit';
import type { ControllerConfig } from './config.ts';

interface Connections {
  /** Owns the tables and migrates them. */
  readonly owner: ConnectionSettings;
  /** Works with their rows. */
  readonly app: ConnectionSettings;
  /** What the application's connections work as, where they sign in as the owner. */
  readonly role?: string;
  /** The login of the application, where it is neither the role itself nor the owner. */
  readonly member?: string;
}

/** The migrated database, asked as a role that row-level security holds. A start without such a role ends here. */
export async function openOwnDatabase(
  config: ControllerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<Database> {
  const connections = await findConnections(config, logger, lifecycle);
  await (await migrate(connections, logger)).close();
  const { app, role } = connections;
  const database = openDatabase(app, logger, { role });
  lifecycle.add(() => database.close());
  await requireHeldByPolicies(database.db);
  return database;
}

/** The migrated database, asked as the owner of its tables: for what is done before there is an installation in it. */
export async function openOwnerDatabase(
  config: ControllerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<Database> {
  const database = await migrate(await findConnections(config, logger, lifecycle), logger);
  lifecycle.add(() => database.close());
  return database;
}

async function findConnections(config: ControllerConfig, logger: Logger, lifecycle: Lifecycle): Promise<Connections> {
  return (await findGiven(config, logger)) ?? (await startEmbedded(config, logger, lifecycle));
}

async function migrate({ owner, member }: Connections, logger: Logger): Promise<Database> {
  const migrating = openDatabase(owner, logger, { maxConnections: 2 });
  try {
    const { ran, pending } = await compareMigrations(migrating.db);
    const [last] = pending.slice(-1);
    // Said before: of large tables it takes its time, and nothing is answered meanwhile.
    if (last !== undefined)
      logger.info({ from: ran.at(-1) ?? null, to: last, migrations: pending.length }, 'database.migrating');
    const startedAt = performance.now();
    const done = await migrateToLatest(migrating.db, member);
    // Of several controllers that begin at once, one migrates.
    if (done.length > 0)
      logger.info({ migrations: done, ms: Math.round(performance.now() - startedAt) }, 'database.migrated');
    return migrating;
  } catch (error) {
    await migrating.close();
    throw error;
  }
}

async function findGiven(
  { databaseUrl, databaseOwnerUrl }: ControllerConfig,
  logger: Logger,
): Promise<Connections | undefined> {
  if (databaseUrl === undefined) return undefined;
  const app = { url: databaseUrl };
  if (databaseOwnerUrl === undefined) {
    logger.warn({ role: APP_ROLE }, 'database.one_user');
    return { owner: app, app, role: APP_ROLE, member: await askLogin(databaseUrl, logger) };
  }
  return { owner: { url: databaseOwnerUrl }, app, member: await askLogin(databaseUrl, logger) };
}

async function askLogin(url: string, logger: Logger): Promise<string> {
  const database = openDatabase({ url }, logger, { maxConnections: 1 });
  try {
    return await findLogin(database.db);
  } finally {
    await database.close();
  }
}

async function startEmbedded(config: ControllerConfig, logger: Logger, lifecycle: Lifecycle): Promise<Connections> {
  const server = await EmbeddedServer.open({ dataDir: join(config.dataDir, 'database'), logger });
  lifecycle.add(() => server.close());
  await server.createDatabaseIfMissing('flotilla');
  return { owner: server.connection('flotilla'), app: server.appConnection('flotilla') };
}
