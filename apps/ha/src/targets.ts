import { type ChildProcess, spawn } from 'node:child_process';
import type { Closable } from '@flotilla/kit';

export interface TargetsOptions {
  readonly targets: readonly string[];
  readonly intervalMs: number;
  /** Without an answer for this long, no target is reachable. */
  readonly deadMs: number;
  readonly onChange: (isReachable: boolean) => void;
  /** Why nobody can be asked; undefined after an answer. */
  readonly onProblem: (problem: string | undefined) => void;
}

const RESTART_MS = 1000;
const MS = 1000;

/** Asks the targets again and again whether they are there, with one `ping` each. */
export class Targets implements Closable {
  readonly #options: TargetsOptions;
  readonly #children = new Set<ChildProcess>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #answeredAt = Number.NEGATIVE_INFINITY;
  #isReachable = false;
  #isClosed = false;

  constructor(options: TargetsOptions) {
    this.#options = options;
    for (const target of options.targets) this.#ask(target);
  }

  /** Call it often: silence is no event. */
  check(now: number): void {
    this.#change(now - this.#answeredAt < this.#options.deadMs + this.#options.intervalMs);
  }

  #change(isReachable: boolean): void {
    if (this.#isReachable === isReachable) return;
    this.#isReachable = isReachable;
    this.#options.onChange(isReachable);
  }

  #ask(target: string): void {
    const every = String(this.#options.intervalMs / MS);
    const child = spawn('ping', ['-n', '-i', every, '-W', every, target], {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#children.add(child);
    // Every line with a time to live is an answer; others are errors of routers on the way.
    child.stdout.on('data', (chunk: Buffer) => {
      if (!chunk.includes(' ttl=')) return;
      this.#answeredAt = performance.now();
      this.#options.onProblem(undefined);
      this.#change(true);
    });
    child.once('error', (error) => {
      this.#options.onProblem(error.message);
      this.#later(target, child);
    });
    child.once('close', () => this.#later(target, child));
  }

  #later(target: string, child: ChildProcess): void {
    if (!this.#children.delete(child) || this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#ask(target);
    }, RESTART_MS);
    this.#timers.add(timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const child of this.#children) child.kill('SIGKILL');
  }
}
