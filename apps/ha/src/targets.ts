import { type ChildProcess, spawn } from 'node:child_process';
import type { Closable } from '@flotilla/kit';
import { PROGRAM_ENV } from './program-env.ts';

export interface TargetsConfig {
  readonly targets: readonly string[];
  readonly intervalMs: number;
  /** Without an answer for this long, no target is reachable. */
  readonly deadMs: number;
}

interface TargetsOptions {
  readonly onChange: (isReachable: boolean) => void;
  /** Why nobody can be asked; undefined after an answer. */
  readonly onProblem: (problem: string | undefined) => void;
}

const RESTART_MS = 1000;
const MS = 1000;

/** Asks the targets again and again whether they are there, with one `ping` each. */
export class Targets implements Closable {
  readonly #options: TargetsOptions;
  readonly #children = new Map<string, ChildProcess>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #config: TargetsConfig = { targets: [], intervalMs: 0, deadMs: 0 };
  #answeredAt = Number.NEGATIVE_INFINITY;
  #isReachable = false;

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** New targets have one dead time to answer, if some were not needed or did answer before. */
  update(config: TargetsConfig): void {
    const before = this.#config;
    this.#config = config;
    const isSamePace = before.intervalMs === config.intervalMs;
    for (const target of before.targets) if (!isSamePace || !config.targets.includes(target)) this.#stop(target);
    const isFirst = before.intervalMs === 0;
    if (!isFirst && (before.targets.length === 0 || this.#isReachable)) this.#answer();
    for (const target of config.targets)
      if (!this.#children.has(target) && !this.#timers.has(target)) this.#ask(target);
  }

  /** Call it often: silence is no event. */
  check(now: number): void {
    this.#change(now - this.#answeredAt < this.#config.deadMs + this.#config.intervalMs);
  }

  #answer(): void {
    this.#answeredAt = performance.now();
    this.#change(true);
  }

  #change(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.#options.onChange(isReachable);
  }

  #ask(target: string): void {
    const every = String(this.#config.intervalMs / MS);
    // -O prints a line for a missing answer, too: if this process is killed, the next line breaks the pipe, and ping ends.
    const child = spawn('ping', ['-n', '-O', '-i', every, '-W', every, target], {
      env: PROGRAM_ENV,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.set(target, child);
    // Every line with a time to live is an answer; others are errors of routers on the way.
    child.stdout.on('data', (chunk: Buffer) => {
      if (!chunk.includes(' ttl=') || this.#children.get(target) !== child) return;
      this.#options.onProblem(undefined);
      this.#answer();
    });
    child.once('error', (error) => {
      this.#options.onProblem(error.message);
      this.#later(target, child);
    });
    child.once('close', () => this.#later(target, child));
  }

  #later(target: string, child: ChildProcess): void {
    if (this.#children.get(target) !== child) return;
    this.#children.delete(target);
    const timer = setTimeout(() => {
      this.#timers.delete(target);
      this.#ask(target);
    }, RESTART_MS);
    this.#timers.set(target, timer);
  }

  #stop(target: string): void {
    clearTimeout(this.#timers.get(target));
    this.#timers.delete(target);
    const child = this.#children.get(target);
    this.#children.delete(target);
    child?.kill('SIGKILL');
  }

  async close(): Promise<void> {
    for (const target of this.#config.targets) this.#stop(target);
  }
}
