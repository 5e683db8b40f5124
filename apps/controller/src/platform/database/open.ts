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
import type { ControllerConfig } from '../config.ts';
import { type Feature, mergeMigrations } from '../features/index.ts';

interface Connections {
  /** Owns and migrates the tables. */
  readonly owner: ConnectionSettings;
  /** Reads and writes their rows. */
  readonly app: ConnectionSettings;
  /** The role that the application's connections switch to, if they sign in as the owner. */
  readonly role?: string;
  /** The application's login, if it is neither the role nor the owner. */
  readonly member?: string;
}

interface OpenOptions {
  readonly config: ControllerConfig;
  /** Their migrations run, too. */
  readonly features: readonly Feature[];
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  /** Aborts the start of an embedded server. */
  readonly signal?: AbortSignal;
}

/** Opens the migrated database as a role that row-level security restricts. Throws if no such role exists. */
export async function openOwnDatabase(options: OpenOptions): Promise<Database> {
  const { logger, lifecycle } = options;
  const connections = await findConnections(options);
  await (await migrate(connections, options)).close();
  const { app, role } = connections;
  const database = openDatabase(app, logger, { role });
  lifecycle.add(() => database.close());
  await requireHeldByPolicies(database.db);
  return database;
}

/** Opens the migrated database as the owner of its tables, for work before an installation exists. */
export async function openOwnerDatabase(options: OpenOptions): Promise<Database> {
  const database = await migrate(await findConnections(options), options);
  options.lifecycle.add(() => database.close());
  return database;
}

async function findConnections(options: OpenOptions): Promise<Connections> {
  return (await findGiven(options.config, options.logger)) ?? (await startEmbedded(options));
}

async function migrate(
  { owner, member }: Connections,
  { features, logger }: Pick<OpenOptions, 'features' | 'logger'>,
): Promise<Database> {
  const ofFeatures = mergeMigrations(features);
  const migrating = openDatabase(owner, logger, { maxConnections: 2 });
  try {
    const { ran, pending } = await compareMigrations(migrating.db, ofFeatures);
    const [last] = pending.slice(-1);
    // Logged first: migrating large tables takes time, and nothing is answered until it ends.
    if (last !== undefined)
      logger.info({ from: ran.at(-1) ?? null, to: last, migrations: pending.length }, 'database.migrating');
    const startedAt = performance.now();
    const done = await migrateToLatest(migrating.db, { member, ofFeatures });
    // If several controllers start at once, only one of them migrates.
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

async function startEmbedded({ config, logger, lifecycle, signal }: OpenOptions): Promise<Connections> {
  const server = await EmbeddedServer.open({ dataDir: join(config.dataDir, 'database'), logger, signal });
  lifecycle.add(() => server.close());
  await server.createDatabaseIfMissing('flotilla');
  return { owner: server.connection('flotilla'), app: server.appConnection('flotilla') };
}
