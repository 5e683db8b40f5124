import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type HaConfig, type MemberReport, reportSchema } from '@flotilla/ha';

const PROGRAM = join(import.meta.dirname, '../../../cli/src/entry.ts');

/** The file as its writers see it: members with a default may be missing. */
export type StageConfig = Omit<HaConfig, 'next_hops'> & Partial<Pick<HaConfig, 'next_hops'>>;

interface Answer {
  readonly status: number;
  readonly body: MemberReport & { readonly reason?: string };
}

/** One host of a pair, in a network namespace of its own. */
export class StageMember {
  readonly slot: 0 | 1;
  readonly namespace: string;
  readonly data: string;
  readonly file: string;
  #config: StageConfig;
  #process: ChildProcess | undefined;

  constructor(slot: 0 | 1, { namespace, data, config }: { namespace: string; data: string; config: StageConfig }) {
    this.slot = slot;
    this.namespace = namespace;
    this.data = data;
    this.file = `${data}.json`;
    this.#config = config;
  }

  get config(): StageConfig {
    return this.#config;
  }

  /** Writes the file as agents do: as a whole. The change is part of the later ones. */
  configure(change: Partial<StageConfig>): void {
    this.#config = { ...this.#config, ...change };
    this.write(JSON.stringify(this.#config));
  }

  write(text: string): void {
    writeFileSync(`${this.file}.new`, text, { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }

  deleteFile(): void {
    rmSync(this.file, { force: true });
  }

  start(change: Partial<StageConfig> = {}, env: NodeJS.ProcessEnv = {}): void {
    this.write(JSON.stringify({ ...this.#config, ...change }));
    const args = [PROGRAM, 'ha', '--config', this.file, '--data', this.data, '--log-level', 'silent'];
    // `ip netns exec` becomes the program, so the process is the daemon itself.
    this.#process = spawn('ip', ['netns', 'exec', this.namespace, process.execPath, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    });
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#process?.kill(signal);
  }

  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  ip(...args: readonly string[]): string {
    return execFileSync('ip', ['-n', this.namespace, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** The names of the programs that run on the host. */
  programs(): string[] {
    const pids = execFileSync('ip', ['netns', 'pids', this.namespace], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
    return pids.flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/comm`, 'utf8').trim()];
      } catch {
        // It has ended.
        return [];
      }
    });
  }

  /** The addresses with a lifetime: the shared ones. */
  get held(): string[] {
    const found = this.ip('-o', 'addr', 'show', 'dev', 'eth0', 'dynamic').matchAll(/inet6? (\S+)\/(?:32|128) /g);
    return [...found].map(([, address = '']) => address).sort();
  }

  get isHolding(): boolean {
    return this.held.length > 0;
  }

  /** Whether a client is connected to the address. */
  isConnected(address: string): boolean {
    const argv = [
      'netns',
      'exec',
      this.namespace,
      'ss',
      '-Htn',
      'state',
      'established',
      'src',
      isIPv6(address) ? `[${address}]` : address,
    ];
    return execFileSync('ip', argv).length > 0;
  }

  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: join(this.data, 'ha.sock'), method, path, timeout: 2000 }, (response) => {
        json(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer as never }), reject);
      });
      sent.once('error', reject);
      sent.once('timeout', () => sent.destroy(new Error('no answer')));
      sent.end(body && JSON.stringify(body));
    });
  }

  async order(order: string, more: object = {}): Promise<Answer> {
    return this.call('POST', '/orders', { order, ...more });
  }

  /** The report, which has to satisfy the schema of the controller; undefined without a daemon. */
  async state(): Promise<MemberReport | undefined> {
    const answer = await this.call('GET', '/state').catch(() => undefined);
    return answer && reportSchema.parse(answer.body);
  }
}
