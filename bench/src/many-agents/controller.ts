import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '@flotilla/testkit';
import { Inspector } from './inspector.ts';
import { readCpuMs, readTreeCpuMs } from './processes.ts';

export interface Cpu {
  readonly controllerMs: number;
  readonly databaseMs: number;
}

const BUNDLE = join(import.meta.dirname, '../../../dist/flotilla.mjs');
const START_MS = 90_000;
const STOP_MS = 30_000;
const PASSWORD = 'a-long-password-of-a-bench-1';

/** `flotilla controller` as it is shipped, with its embedded PostgreSQL, in a folder of its own. */
export class BenchController {
  readonly dataDir: string;
  readonly masterKey: string = '3b'.repeat(32);
  readonly ports: { readonly rest: number; readonly grpc: number; readonly inspector: number };
  #process: ChildProcess | undefined;
  #token: string | undefined;

  private constructor(dataDir: string, ports: BenchController['ports']) {
    this.dataDir = dataDir;
    this.ports = ports;
  }

  static async start(): Promise<BenchController> {
    const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-many-agents-'));
    // The user of the embedded database must traverse it.
    await chmod(dataDir, 0o711);
    const [rest = 0, grpc = 0, inspector = 0] = await findFreePorts(3);
    const controller = new BenchController(dataDir, { rest, grpc, inspector });
    await controller.run();
    return controller;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Starts the program on its folder. Resolves when it answers. */
  async run(): Promise<void> {
    const { rest, grpc, inspector } = this.ports;
    const ports = ['--port', `${rest}`, '--grpc-port', `${grpc}`];
    const argv = [`--inspect=127.0.0.1:${inspector}`, BUNDLE, 'controller', '--data', this.dataDir, ...ports];
    const child = spawn(process.execPath, argv, {
      env: {
        ...process.env,
        SVC_MASTER_KEY: this.masterKey,
        SVC_FIRST_OWNER_PASSWORD: PASSWORD,
        SVC_AGENT_STATS_SECONDS: '30',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    const log = createWriteStream(join(this.dataDir, 'controller.log'), { flags: 'a' });
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    const deadline = performance.now() + START_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`no controller: ${await this.log()}`);
      await sleep(20);
    }
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  async log(): Promise<string> {
    return (await readFile(join(this.dataDir, 'controller.log'), 'utf8').catch(() => '')).slice(-4000);
  }

  inspect(): Promise<Inspector> {
    return Inspector.connect(this.ports.inspector);
  }

  async readCpu(): Promise<Cpu> {
    const text = await readFile(join(this.dataDir, 'database', 'cluster', 'postmaster.pid'), 'utf8');
    return { controllerMs: readCpuMs(this.pid), databaseMs: readTreeCpuMs(Number(text.split('\n', 1)[0])) };
  }

  /** A REST call of the owner. Throws unless it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  async api(method: string, path: string, body?: unknown): Promise<any> {
    this.#token ??= await this.#signIn();
    return this.#fetch(method, path, { body, headers: { authorization: `Bearer ${this.#token}` } });
  }

  async close(): Promise<void> {
    const child = this.#process;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #signIn(): Promise<string> {
    return (await this.#fetch('POST', '/auth/login', { body: { username: 'admin', password: PASSWORD } })).access_token;
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.ports.rest}/readyz`).catch(() => undefined);
    return answer?.ok === true;
  }

  async #fetch(method: string, path: string, { body, headers = {} }: { body?: unknown; headers?: object }) {
    const answer = await fetch(`http://127.0.0.1:${this.ports.rest}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
