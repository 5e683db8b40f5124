import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Backoff,
  type Closable,
  isProcessAlive,
  type Logger,
  sleep,
  toErrorMessage,
  withDeadline,
  withFileLock,
} from '@flotilla/kit';
import pg from 'pg';
import { APP_ROLE } from '../roles.ts';
import { letAppRoleLogIn } from './app-login.ts';
import { deriveServerUser, locateBinaries, type PostgresBinaries, type ServerUser } from './binaries.ts';
import { prepareHome } from './home.ts';

export interface EmbeddedServerOptions {
  /** Contains everything: cluster, password, log. `prepareHome` describes the exception. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Disable only for temporary test clusters. */
  readonly durable?: boolean;
  /** Aborts a start: `open` rejects and leaves no server of its own running. */
  readonly signal?: AbortSignal;
  /** Limit for a start, including crash recovery. Default: 30 s. */
  readonly startTimeoutMs?: number;
}

const WATCH_INTERVAL_MS = 250;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const CONNECT_INTERVAL_MS = 20;
/** Delay between starts of a server that ends at once, for example because the disk is full. */
const RESTART_BACKOFF = { initialMs: 50, maxMs: 2000 };
export const DATABASE_USER = 'flotilla';

/**
 * A PostgreSQL server of our own, a child process that outlives us.
 *
 * - `absent` -> `starting`: open() found no live server in the data folder.
 * - `running` (attached): open() found a server of a killed or another controller, and uses it.
 * - `starting` -> `running`: the socket answers.
 * - `starting` -> `absent`: it did not answer in time, or the start was aborted; what was started is stopped, and
 *   open() rejects.
 * - `running` -> `starting`: the watch found its process gone (kill -9, out of memory); it is started again with
 *   crash recovery.
 * - `running` -> `stopped`: close() of the last controller that was registered in the data folder.
 *
 * It listens on a Unix socket in a short folder (107-byte limit) with a generated password, never on TCP.
 */
export class EmbeddedServer implements Closable {
  readonly socketDir: string;
  readonly password: string;
  readonly #options: EmbeddedServerOptions;
  readonly #binaries: PostgresBinaries;
  readonly #user: ServerUser | undefined;
  readonly #home: string;
  readonly #appPassword: string;
  readonly #stopped = new AbortController();
  readonly #instance = randomBytes(4).toString('hex');
  #watching: Promise<void> = Promise.resolve();
  /** The server that we started, until it ends. */
  #spawned: ChildProcess | undefined;

  private constructor(
    options: EmbeddedServerOptions,
    parts: {
      binaries: PostgresBinaries;
      user: ServerUser | undefined;
      socketDir: string;
      password: string;
      appPassword: string;
      home: string;
    },
  ) {
    this.#options = options;
    this.#binaries = parts.binaries;
    this.#user = parts.user;
    this.socketDir = parts.socketDir;
    this.password = parts.password;
    this.#appPassword = parts.appPassword;
    this.#home = parts.home;
  }

  static async open(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const { dataDir } = options;
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    const user = deriveServerUser();
    const socketDir = await makeSocketDir(dataDir, user);
    return withFileLock(join(dataDir, 'start.lock'), async () => {
      const home = await prepareHome(dataDir, user);
      const binaries = await locateBinaries(join(home, 'postgres'), user);
      const password = await readOrCreatePassword(join(dataDir, 'password'));
      const appPassword = await readOrCreatePassword(join(dataDir, 'app-password'));
      const server = new EmbeddedServer(options, { binaries, user, socketDir, password, appPassword, home });
      if (!existsSync(join(server.#clusterDir, 'PG_VERSION'))) await server.#initialise();
      try {
        await server.#ensureRunning(options.signal);
        await letAppRoleLogIn(server.connection('postgres'), appPassword, options.logger);
        await server.#register();
      } catch (error) {
        await server.#abandonStart();
        throw error;
      }
      server.#watching = server.#watch();
      return server;
    });
  }

  /** Connection settings for `pg` as the superuser, who owns and migrates the tables. */
  connection(database: string): pg.PoolConfig {
    return { host: this.socketDir, port: 5432, user: DATABASE_USER, password: this.password, database };
  }

  /** Connection settings as the application's role. */
  appConnection(database: string): pg.PoolConfig {
    return { host: this.socketDir, port: 5432, user: APP_ROLE, password: this.#appPassword, database };
  }

  async createDatabaseIfMissing(name: string): Promise<void> {
    const client = new pg.Client(this.connection('postgres'));
    await client.connect();
    try {
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (rowCount === 0) await client.query(`create database "${name.replaceAll('"', '""')}"`);
    } finally {
      await client.end();
    }
  }

  /** The server's process id, if it is running. */
  async pid(): Promise<number | undefined> {
    const text = await readFile(join(this.#clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(text.split('\n', 1)[0]);
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    return (await isProcessAlive(pid, 'postgres')) ? pid : undefined;
  }

  async close(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    await this.#watching;
    await withFileLock(join(this.#options.dataDir, 'start.lock'), async () => {
      await rm(this.#registration, { force: true });
      if (await this.#othersRegistered()) return;
      await this.#stop();
    });
  }

  get #clusterDir(): string {
    return join(this.#home, 'cluster');
  }

  async #initialise(): Promise<void> {
    await rm(this.#clusterDir, { recursive: true, force: true });
    await mkdir(this.#clusterDir, { mode: 0o700 });
    const passwordFile = join(this.socketDir, `pw-${process.pid}`);
    await writeFile(passwordFile, this.password, { mode: 0o600 });
    if (this.#user) {
      await chown(this.#clusterDir, this.#user.uid, this.#user.gid);
      await chown(passwordFile, this.#user.uid, this.#user.gid);
    }
    try {
      const args = [
        '-D',
        this.#clusterDir,
        '-U',
        DATABASE_USER,
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '-A',
        'scram-sha-256',
      ];
      const done = spawnSync(this.#binaries.initdb, [...args, `--pwfile=${passwordFile}`, '--no-instructions'], {
        ...this.#user,
        cwd: this.socketDir,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, TZ: 'UTC' },
      });
      if (done.status !== 0) {
        await rm(this.#clusterDir, { recursive: true, force: true });
        throw new Error(`initdb failed: ${(done.stderr || String(done.error)).trim()}`);
      }
    } finally {
      await rm(passwordFile, { force: true });
    }
  }

  async #ensureRunning(signal?: AbortSignal): Promise<void> {
    const attempt = new AbortController();
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options;
    const aborted = AbortSignal.any([this.#stopped.signal, attempt.signal, ...(signal ? [signal] : [])]);
    try {
      await withDeadline(this.#waitUntilItAnswers(aborted), startTimeoutMs, 'PostgreSQL did not answer in time');
    } catch (error) {
      throw new Error(`${toErrorMessage(error)}; see ${this.#logFile}`, { cause: error });
    } finally {
      attempt.abort();
    }
    signal?.throwIfAborted();
  }

  /** Stops the server of this start, unless another controller already uses it. */
  async #abandonStart(): Promise<void> {
    this.#stopped.abort();
    if (this.#spawned && !(await this.#othersRegistered())) await this.#stop();
  }

  get #logFile(): string {
    return join(this.#options.dataDir, 'postgres.log');
  }

  #spawn(): void {
    const log = openSync(this.#logFile, 'a', 0o600);
    const settings = {
      listen_addresses: '',
      unix_socket_directories: this.socketDir,
      unix_socket_permissions: '0777', // the password protects it; the folder is private
      max_connections: '200', // for several controllers: each has a pool of 20, and a connection per topic that it listens to
      shared_buffers: '32MB',
      fsync: this.#options.durable === false ? 'off' : 'on',
      log_destination: 'stderr',
      timezone: 'UTC',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(this.#binaries.postgres, ['-D', this.#clusterDir, ...args], {
      ...this.#user,
      cwd: this.socketDir,
      detached: true, // a Ctrl-C in our terminal must not kill it: we stop it when nobody uses it any more
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, TZ: 'UTC' },
    });
    closeSync(log);
    this.#spawned = child;
    const onEnd = () => {
      this.#spawned = undefined;
    };
    child.once('exit', onEnd);
    child.once('error', onEnd);
    child.unref();
    this.#options.logger.info({ serverPid: child.pid, dataDir: this.#options.dataDir }, 'postgres.starting');
  }

  async #waitUntilItAnswers(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(RESTART_BACKOFF);
    let nextStartAt = 0;
    while (!signal.aborted) {
      // Several attempts: right after a kill -9, a new server gives up while sessions of the old one still hold its
      // memory.
      if (!this.#spawned && performance.now() >= nextStartAt && (await this.pid()) === undefined) {
        if (signal.aborted) return;
        nextStartAt = performance.now() + backoff.next();
        this.#spawn();
      }
      const client = new pg.Client(this.connection('postgres'));
      // A connection that the starting server drops must not cause an unhandled 'error' event.
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch (error) {
        if (isAuthenticationFailure(error)) throw error;
        await sleep(CONNECT_INTERVAL_MS, signal);
      }
    }
  }

  async #watch(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await sleep(WATCH_INTERVAL_MS, this.#stopped.signal);
      if (this.#stopped.signal.aborted || (await this.pid()) !== undefined) continue;
      this.#options.logger.warn('postgres.gone');
      try {
        await withFileLock(join(this.#options.dataDir, 'start.lock'), () => this.#ensureRunning());
      } catch (error) {
        this.#options.logger.error({ err: error }, 'postgres.restart_failed');
        await sleep(1000, this.#stopped.signal);
      }
    }
  }

  async #stop(): Promise<void> {
    const pid = (await this.pid()) ?? this.#spawned?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGINT'); // PostgreSQL's fast shutdown: roll back, checkpoint, exit
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline && (await isProcessAlive(pid, 'postgres'))) await sleep(20);
    this.#options.logger.info({ serverPid: pid }, 'postgres.stopped');
  }

  /** One file per open handle: a process may have several, and the last one stops PostgreSQL. */
  get #registration(): string {
    return join(this.#options.dataDir, 'users', `${process.pid}-${this.#instance}`);
  }

  async #register(): Promise<void> {
    await mkdir(join(this.#options.dataDir, 'users'), { recursive: true, mode: 0o700 });
    await writeFile(this.#registration, '');
  }

  async #othersRegistered(): Promise<boolean> {
    const folder = join(this.#options.dataDir, 'users');
    for (const name of await readdir(folder)) {
      if (await isProcessAlive(Number.parseInt(name, 10))) return true;
      await rm(join(folder, name), { force: true });
    }
    return false;
  }
}

function isAuthenticationFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '28P01';
}

async function makeSocketDir(dataDir: string, user: ServerUser | undefined): Promise<string> {
  const base = process.env.XDG_RUNTIME_DIR && !user ? process.env.XDG_RUNTIME_DIR : user ? '/run' : tmpdir();
  const dir = join(base, `flotilla-db-${createHash('sha256').update(dataDir).digest('hex').slice(0, 10)}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  if (user) await chown(dir, user.uid, user.gid);
  return dir;
}

async function readOrCreatePassword(file: string): Promise<string> {
  const existing = await readFile(file, 'utf8').catch(() => '');
  if (existing) return existing;
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}
