import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../main.ts');
/** A busy machine compiles the sources slowly. */
const START_TIMEOUT_MS = 60_000;

/** `flotilla shield` as a separate process, for tests. */
export class FilterProcess {
  readonly #argv: readonly string[];
  readonly #adminSocket: string;
  /** The admin socket of a standby. */
  readonly #standbySocket: string | undefined;
  #child: ChildProcess | undefined;
  #output = '';

  constructor(argv: readonly string[], adminSocket: string, standbySocket?: string) {
    this.#argv = [...argv, '--admin', `unix:${adminSocket}`];
    this.#adminSocket = adminSocket;
    this.#standbySocket = standbySocket;
  }

  /** Everything it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Id of the running process; 0 before `start`. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it is ready, or on standby. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [MAIN, ...this.#argv], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    const deadline = performance.now() + START_TIMEOUT_MS;
    const isThere =
      this.#standbySocket === undefined
        ? () => this.#isReady()
        : async () => this.#hasEvent('standing_by') || this.#hasEvent('serving');
    while (!(await isThere())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`the filter did not start: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends it; returns its exit code, null if it was killed. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = await exit;
    return code;
  }

  async #isReady(): Promise<boolean> {
    return (await this.admin('/readyz').catch(() => undefined))?.status === 200;
  }

  #hasEvent(name: string): boolean {
    return this.#output.includes(`"event":"${name}"`);
  }

  async admin(path: string): Promise<{ status: number; text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    request({ socketPath: this.#adminSocket, path, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
    return promise;
  }

  async configz(): Promise<{ version: string; duty: string; last_error: { message: string } | null }> {
    return JSON.parse((await this.admin('/configz')).text);
  }

  /** Sum of a counter over its label sets that contain `labels`. */
  async counter(name: string, labels = ''): Promise<number> {
    const { text } = await this.admin('/metrics');
    return text
      .split('\n')
      .filter((line) => line.startsWith(`flotilla_shield_${name}`) && line.includes(labels))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }
}
