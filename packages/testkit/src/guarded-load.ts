import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 3;
/** More than any test sends. */
const REQUESTS_MAX = 20_000;

interface Target {
  ask(target: string, options: { headers?: Record<string, string> }): Promise<{ readonly status: number }>;
}

export interface LoadOutcome {
  /** Requests without the key that were not rejected. */
  readonly passed: number;
  /** Outcomes of requests that began after a kill was noticed and did not get their response. */
  readonly failedLater: readonly string[];
  /** Counts by status, or by connection error. */
  readonly statuses: ReadonlyMap<string, number>;
}

/** A few hundred requests a second through a protected proxy; one in four has no key. */
export class GuardedLoad {
  readonly #target: Target;
  readonly #outstanding = new Set<Promise<void>>();
  readonly #statuses = new Map<string, number>();
  readonly #failedLater: string[] = [];
  #kills = 0;
  /** Whether a kill may not have been noticed yet. */
  #isUnsure = false;
  #passed = 0;
  #sent = 0;
  #isRunning = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(target: Target) {
    this.#target = target;
  }

  start(): void {
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  /** Resolves once this many more requests were sent. */
  async sendMore(count: number): Promise<void> {
    const until = this.#sent + count;
    while (this.#sent < until) await sleep(PAUSE_MS);
  }

  /** Resolves once Envoy has noticed the end of the process: every request that was in flight then has its outcome. */
  async whileKilling(kill: () => Promise<unknown>): Promise<void> {
    this.#kills += 1;
    this.#isUnsure = true;
    await kill();
    await Promise.all(this.#outstanding);
    this.#isUnsure = false;
  }

  async end(): Promise<LoadOutcome> {
    this.#isRunning = false;
    await this.#loop;
    await Promise.all(this.#outstanding);
    return { passed: this.#passed, failedLater: this.#failedLater, statuses: this.#statuses };
  }

  async #run(): Promise<void> {
    while (this.#isRunning && this.#sent < REQUESTS_MAX) {
      const request = this.#send(this.#sent % 4 !== 0);
      this.#sent += 1;
      this.#outstanding.add(request);
      void request.then(() => this.#outstanding.delete(request));
      await sleep(PAUSE_MS);
    }
  }

  async #send(hasKey: boolean): Promise<void> {
    const kills = this.#isUnsure ? -1 : this.#kills;
    const headers: Record<string, string> = hasKey ? { 'x-api-key': 'the-key' } : {};
    const outcome = await this.#target.ask('/x', { headers }).then(
      ({ status }) => String(status),
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    this.#statuses.set(outcome, (this.#statuses.get(outcome) ?? 0) + 1);
    if (!hasKey && outcome === '200') this.#passed += 1;
    const isRight = outcome === (hasKey ? '200' : '403');
    // Begun after the last kill was noticed and before the next one.
    if (!isRight && kills === this.#kills) this.#failedLater.push(outcome);
  }
}
