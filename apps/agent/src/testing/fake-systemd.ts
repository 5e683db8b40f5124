import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Systemctl } from '../host/units/systemd.ts';

const STOP_GRACE_MS = 300;

/**
 * Replaces systemd where it is not process 1. It reads the unit files, runs their ExecStart, and restarts programs unless
 * the unit has a drop-in folder. It supports the calls of the runner.
 */
export class FakeSystemd {
  readonly #unitDir: string;
  readonly #running = new Map<string, ChildProcess>();
  readonly #wanted = new Set<string>();

  constructor(unitDir: string) {
    this.#unitDir = unitDir;
  }

  readonly systemctl: Systemctl = async (args) => {
    const [verb = '', ...rest] = args;
    const unit = rest.at(-1) ?? '';
    switch (verb) {
      case 'enable':
        this.#wanted.add(unit);
        await this.#start(unit);
        return '';
      case 'disable':
        this.#wanted.delete(unit);
        await this.#stop(unit);
        return '';
      case 'show':
        if (rest.includes('--property=MainPID')) return `${this.#running.get(unit)?.pid ?? 0}\n`;
        return this.#wanted.has(unit) ? 'active\n' : 'inactive\n';
      case 'daemon-reload':
      case 'reset-failed':
        return '';
      default:
        throw new Error(`systemctl ${args.join(' ')}`);
    }
  };

  async #start(unit: string): Promise<void> {
    const text = readFileSync(join(this.#unitDir, unit), 'utf8');
    const lines = text.split('\n').map((line) => line.split(/=(.*)/s));
    const values = (key: string) => lines.filter(([name]) => name === key).map(([, value = '']) => value);
    const [program = '', ...args] = splitCommand(values('ExecStart')[0] ?? '');
    const log = openSync((values('StandardOutput')[0] ?? '').slice('append:'.length), 'a');
    const env = Object.fromEntries(values('Environment').map((pair) => (splitCommand(pair)[0] ?? '').split(/=(.*)/s)));
    const [uid, gid] = [values('User')[0], values('Group')[0]].map((id) => (id === undefined ? undefined : Number(id)));
    const user = uid === undefined || gid === undefined ? {} : { uid, gid };
    const cwd = values('WorkingDirectory')[0] ?? '/';
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', log, log], ...user });
    this.#running.set(unit, child);
    child.once('exit', () => {
      this.#running.delete(unit);
      const dropIns = readdirSync(this.#unitDir).includes(`${unit}.d`);
      if (dropIns) this.#wanted.delete(unit);
      if (this.#wanted.has(unit)) setTimeout(() => void this.#start(unit), 50);
    });
    await new Promise((resolve, reject) => child.once('spawn', () => resolve(undefined)).once('error', reject));
  }

  async #stop(unit: string): Promise<void> {
    const child = this.#running.get(unit);
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await gone;
    clearTimeout(timer);
  }
}

/** Splits an ExecStart line: quoted words have C escapes; `%%` means `%` and `$$` means `$` (systemd.service(5)). */
export function splitCommand(line: string): string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/gs) ?? [];
  return words.map((word) => {
    const bare = word.startsWith('"') ? word.slice(1, -1) : word;
    const plain = bare.replace(/\\(.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter));
    return plain.replaceAll('%%', '%').replaceAll('$$', '$');
  });
}
