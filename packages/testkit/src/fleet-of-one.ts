import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Db, EmbeddedServer, openDatabase } from '@flotilla/db';
import { createSilentLogger, sleep } from '@flotilla/kit';
import { findFreePorts } from '@flotilla/kit/testing';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from './envoy.ts';
import { isRunning } from './process-state.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const STOP_TIMEOUT_MS = 60_000;
/** Above Envoy's route timeout of 15 s: a request that hangs fails its test with a message. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The whole program, as it is installed. */
export const BUNDLE = join(ROOT, 'dist', 'flotilla.mjs');

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: stories read answers of any shape
  readonly body: any;
  readonly etag: string | undefined;
}

/** Where a fleet can be found by another process. */
export interface FleetTrace {
  readonly pid: number;
  readonly dataDir: string;
}

type Program = 'controller' | 'agent' | 'envoy' | 'shield' | 'postgres';

/** `flotilla up` as a user runs it, in its own folder and on its own ports. */
export class FleetOfOne {
  readonly dataDir: string;
  readonly ports: { rest: number; grpc: number; proxy: number };
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(
    dataDir: string,
    ports: { rest: number; grpc: number; proxy: number },
    how: { command: readonly string[]; env: NodeJS.ProcessEnv },
  ) {
    this.dataDir = dataDir;
    this.ports = ports;
    this.#command = how.command;
    this.#env = how.env;
  }

  /**
   * With `isEnvoyMissing`, no source provides an Envoy: no release page, no Python, an empty cache. `env` adds to the environment
   * of the programs.
   */
  static async start(
    options: { envoyVersion?: string; isEnvoyMissing?: boolean; bundle?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<FleetOfOne> {
    const { envoyVersion: version = TEST_ENVOY_VERSIONS.newest, isEnvoyMissing = false, bundle = BUNDLE } = options;
    if (!isEnvoyMissing) await ensureTestEnvoy(version);
    const [rest = 0, grpc = 0, proxy = 0] = await findFreePorts(3);
    // Not in memory: Envoy 1.36 accepts no file below /dev.
    const dataDir = await mkdtemp(join(tmpdir(), 'fleet-'));
    // Services run as separate users, who must be able to traverse it.
    await chmod(dataDir, 0o755);
    const env = {
      ...process.env,
      ...(isEnvoyMissing ? nowhere(dataDir) : { FLOTILLA_CACHE: join(ROOT, '.cache') }),
      // A host without FRR, even where FRR is installed.
      SVC_AGENT_FRR_SHELL: join(dataDir, 'no-frr'),
      ...options.env,
    };
    const fleet = new FleetOfOne(dataDir, { rest, grpc, proxy }, { command: [bundle, 'up', '--envoy', version], env });
    try {
      await fleet.up();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  /** Starts or restarts it and waits until it reports that it is up. */
  async up(extra: readonly string[] = []): Promise<void> {
    const { rest, grpc, proxy } = this.ports;
    const ports = ['--port', `${rest}`, '--grpc-port', `${grpc}`, '--proxy-port', `${proxy}`];
    this.#output = '';
    const child = spawn(process.execPath, [...this.#command, '--data', this.dataDir, ...ports, ...extra], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.#output += text;
      });
    }
    await this.until(
      () => this.#output.includes('Ctrl-C stops everything') || child.exitCode !== null,
      'flotilla up is up',
      90_000,
    );
    if (child.exitCode !== null)
      throw new Error(`flotilla up ended with ${child.exitCode}:\n${this.#output}${await this.logs()}`);
  }

  get output(): string {
    return this.#output;
  }

  /** Sends Ctrl-C and returns the exit code. */
  async interrupt(): Promise<number | null> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    return ended;
  }

  async close(): Promise<void> {
    await this.interrupt();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The argument of `closeLeft`. */
  get trace(): FleetTrace {
    return { pid: this.#process?.pid ?? 0, dataDir: this.dataDir };
  }

  /** Closes a fleet of a process that has ended without closing it. */
  static async closeLeft({ pid, dataDir }: FleetTrace): Promise<void> {
    if (await isRunning(pid)) process.kill(pid, 'SIGINT');
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (await isRunning(pid)) {
      if (performance.now() > deadline) throw new Error(`flotilla up (process ${pid}) does not stop`);
      await sleep(20);
    }
    await rm(dataDir, { recursive: true, force: true });
  }

  async state(): Promise<{ apiToken: string; project: string; clientId: string; password: string }> {
    return JSON.parse(await readFile(join(this.dataDir, 'up.json'), 'utf8'));
  }

  /** A REST call with the demo's API token; `project` is added to the query unless the body names it. */
  async api(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const { apiToken, project } = await this.state();
    const url = new URL(path, `http://127.0.0.1:${this.ports.rest}`);
    const isNamed = typeof body === 'object' && body !== null && 'project' in body;
    if (!isNamed && !url.searchParams.has('project')) url.searchParams.set('project', project);
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${apiToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text ? JSON.parse(text) : undefined,
      etag: response.headers.get('etag') ?? undefined,
    };
  }

  /** The controller's own database, for more rows than a story can create over REST. */
  async withDatabase(work: (db: Db) => Promise<void>): Promise<void> {
    const logger = createSilentLogger();
    const server = await EmbeddedServer.open({ dataDir: join(this.dataDir, 'controller', 'database'), logger });
    const database = openDatabase(server.appConnection('flotilla'), logger, { maxConnections: 2 });
    try {
      await work(database.db);
    } finally {
      await database.close();
      await server.close();
    }
  }

  /** A request through the proxy: status, headers and text. */
  async request(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.ports.proxy}${path}`, {
      headers,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Process ids of a program of this fleet, found by the folder in their command lines or environments. */
  async pids(program: Program): Promise<number[]> {
    const found: number[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
      if (!matches(commandLine.split('\0'), program)) continue;
      const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
      if (`${commandLine}\0${environment}`.includes(this.dataDir)) found.push(Number(name));
    }
    return found;
  }

  async kill(program: Program): Promise<void> {
    const pids = await this.pids(program);
    if (pids.length === 0) throw new Error(`no ${program} runs in ${this.dataDir}`);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  }

  async until(condition: () => boolean | Promise<boolean>, what: string, timeoutMs = 90_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`not in time: ${what}\n${this.#output}${await this.logs()}`);
      await sleep(20);
    }
  }

  /** The ends of the programs' logs, for failing stories. */
  async logs(): Promise<string> {
    const dir = join(this.dataDir, 'logs');
    const names = await readdir(dir).catch(() => []);
    const ends = names.map(async (name) => `\n--- ${name}\n${(await readFile(join(dir, name), 'utf8')).slice(-4000)}`);
    return (await Promise.all(ends)).join('');
  }
}

/** An environment in which no Envoy can be found or downloaded. */
function nowhere(dataDir: string): NodeJS.ProcessEnv {
  return {
    PATH: dataDir,
    ENVOY_BIN: '',
    FLOTILLA_CACHE: join(dataDir, 'cache'),
    FLOTILLA_ENVOY_RELEASES: 'http://127.0.0.1:1',
  };
}

function matches(words: readonly string[], program: Program): boolean {
  switch (program) {
    case 'controller':
    case 'agent':
      return words.includes(program) && words.some((word) => word.endsWith('flotilla.mjs')) && !words.includes('up');
    case 'shield':
      return words.includes('shield') && words.some((word) => word.endsWith('flotilla.mjs'));
    case 'envoy':
      return (
        words.some((word) => word.endsWith('/envoy')) && words.includes('--config-path') && !words.includes('--mode')
      );
    case 'postgres':
      return words[0]?.endsWith('/postgres') === true;
  }
}
