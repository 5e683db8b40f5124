import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type CounterBook, type PolicyRuntime, RuntimeBuilder } from '@flotilla/decision';
import { compileEngine, LimiterArena } from '@flotilla/engines';
import { shieldThreadAddresses } from '@flotilla/policy';
import { arrivalClock } from '../exchange/arrival-clock.ts';
import type { ListenAddress } from '../listen-address.ts';
import type { OpenedBundle } from '../load-bundle.ts';
import type { ToThread } from './messages.ts';
import type { ServingThread } from './serving-thread.ts';
import type { SharedCells } from './shared-cells.ts';
import { ThreadHandle, type ThreadNews } from './thread-handle.ts';
import type { TrafficCell } from './traffic-recorder.ts';

export interface ThreadPoolOptions {
  /** Includes the first thread, which is this one. */
  readonly threads: number;
  readonly first: Pick<ServingThread, 'runtimeIfAny' | 'hold' | 'listen' | 'close'>;
  readonly listen: ListenAddress;
  readonly trustedHops: number;
  readonly node: string;
  readonly counters: CounterBook;
  readonly traffic: SharedCells<TrafficCell>;
  readonly onNews: (thread: number, news: ThreadNews) => void;
}

/**
 * The threads of the filter. Each serves its own socket with its own runtime; limiters, counts and traffic are in
 * shared memory. A bundle is reported only after it took effect in all of them. If a thread dies, the filter ends
 * (`failed`): serving only some sockets is worse than a restart.
 */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #arena = new LimiterArena();
  readonly #others: readonly ThreadHandle[];
  readonly #failed = new AbortController();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    const { listen, trustedHops, node, counters, traffic } = options;
    const [, ...addresses] = shieldThreadAddresses(listen, options.threads);
    this.#others = addresses.map((address, n) => {
      const thread = n + 1;
      const data = {
        thread,
        listen: address,
        trustedHops,
        node,
        limiters: this.#arena.share(),
        counts: counters.memoryOf(thread),
        traffic: traffic.memory,
      };
      return new ThreadHandle(data, {
        onNews: options.onNews,
        onDeath: (dead, error) =>
          this.#failed.abort(new Error(`thread ${dead} died: ${error.message}`, { cause: error })),
      });
    });
  }

  /** Aborts with the error when a thread has died. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /**
   * Builds the bundle in every thread, piece by piece, so that requests are answered in between; then it takes effect
   * in all. Resolves with the runtime of the first thread. If it rejects, nothing has changed, unless a thread is gone.
   */
  async apply(bundle: OpenedBundle, nowMs: number): Promise<PolicyRuntime> {
    const { first, counters } = this.#options;
    const previous = first.runtimeIfAny;
    const builder = new RuntimeBuilder(bundle.head, {
      nowMs,
      ...(previous && { previous }),
      counters,
      compile: (block, id) =>
        compileEngine(block, arrivalClock, { arena: this.#arena, ...(id !== undefined && { id }) }),
    });
    const places = new Map(bundle.head.policyNames.map((name) => [name, counters.placeOf(name)]));
    await this.#askOthers({ kind: 'begin', head: bundle.head, nowMs, places });
    for await (const piece of bundle.pieces()) {
      const limiterIds = builder.add(piece);
      await this.#askOthers({ kind: 'piece', piece, limiterIds });
      await setImmediate();
    }
    const runtime = builder.finish();
    await this.#askOthers({ kind: 'end' });
    first.hold(runtime);
    return runtime;
  }

  async listen(): Promise<void> {
    await Promise.all([this.#options.first.listen(), this.#askOthers({ kind: 'listen' })]);
  }

  /** Drains all threads concurrently. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([this.#options.first.close(graceMs), ...this.#others.map((thread) => thread.close(graceMs))]);
  }

  /** Resolves when `signal` aborts; rejects if a thread dies first, or when `lost` aborts. */
  async run(signal: AbortSignal, lost?: AbortSignal): Promise<void> {
    const failed = lost === undefined ? this.failed : AbortSignal.any([this.failed, lost]);
    const either = AbortSignal.any([signal, failed]);
    if (!either.aborted) await once(either, 'abort');
    if (failed.aborted) throw failed.reason;
  }

  async #askOthers(message: ToThread): Promise<void> {
    await Promise.all(this.#others.map((thread) => thread.ask(message)));
  }
}
