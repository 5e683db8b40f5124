import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestDatabase } from '@flotilla/testkit';
import type { Answer } from '../../../testing/controller.ts';

export const OWNER_PASSWORD = 'Correct-Horse-7-Battery';
const MASTER_KEY = '2a'.repeat(32);

/** A listening controller in its own process. */
export class ControllerProcess {
  readonly url: string;
  /** Id in the registry. */
  readonly id: string;
  /** Exit code and signal. */
  readonly exit: Promise<unknown[]>;
  readonly #child: ChildProcess;
  readonly #ownDir: string | undefined;

  private constructor(child: ChildProcess, ownDir: string | undefined, { url, id }: { url: string; id: string }) {
    this.#child = child;
    this.#ownDir = ownDir;
    this.url = url;
    this.id = id;
    this.exit = once(child, 'exit');
  }

  /** `folder`: the data folder; by default a temporary one. */
  static async start({ server, name }: TestDatabase, folder?: string): Promise<ControllerProcess> {
    const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'flotilla-controller-')));
    const argv = ['--data', dataDir, '--port', '0', '--grpc-port', '0', '--log-level', 'info'];
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SVC_DATABASE_URL: toUrl(server.appConnection(name)),
        SVC_DATABASE_OWNER_URL: toUrl(server.connection(name)),
        SVC_MASTER_KEY: MASTER_KEY,
        SVC_FIRST_OWNER_PASSWORD: OWNER_PASSWORD,
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<{ url: string; id: string }>();
    child.once('exit', (code) => reject(new Error(`the controller has ended with ${code}`)));
    let id = '';
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = line.startsWith('{') ? JSON.parse(line) : {};
      if (said.msg === 'controllers.begun') id = said.controller;
      if (said.msg === 'controller.listening') resolve({ url: said.address, id });
    });
    return new ControllerProcess(child, folder === undefined ? dataDir : undefined, await promise);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async call(method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: {} };
  }

  async close(): Promise<void> {
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGKILL');
    await this.exit;
    if (this.#ownDir !== undefined) await rm(this.#ownDir, { recursive: true, force: true });
  }
}

export function toUrl(settings: TestDatabase['settings']): string {
  const { host, port, user, password, database } = settings;
  const query = new URLSearchParams({ host: String(host), port: String(port) });
  return `postgres://${user}:${encodeURIComponent(String(password))}@/${database}?${query}`;
}
