import { resolve } from 'node:path';
import { type BundleHead, type PolicyRuntime, RuntimeBuilder } from '@flotilla/decision';
import { type Clock, err, ok, type Result, SerialQueue, systemClock, toErrorMessage } from '@flotilla/kit';
import type { LoadProblem } from '@flotilla/policy';
import { readBundle, readBundleSignature } from './bundle-reader.ts';
import { BundleWatch } from './bundle-watch.ts';
import { BundleLoader, type LoadedBundle, type OpenedBundle } from './load-bundle.ts';
import { type LoadFailure, LoadFailures } from './load-failures.ts';
import { type LoadTimes, LoadTiming } from './load-timing.ts';
import type { SourceFile } from './read-files.ts';

/** A bundle from `packPolicies`. */
export interface PackedBundle {
  readonly head: BundleHead;
  /** Pieces in order. */
  readonly pieces: readonly Uint8Array[];
}

export interface PolicySourceOptions extends LoadTimes {
  /** A policy file or a directory. */
  readonly path: string;
  /** Called after a load with an effect: a new bundle was applied, or a bad one was rejected. */
  readonly onLoad?: (result: 'applied' | 'failed', failure: LoadFailure | undefined) => void;
  readonly clock?: Clock;
  /** Applies a good bundle; resolves once it is in effect. Default: in this thread, without pauses. */
  readonly apply?: (bundle: OpenedBundle, nowMs: number, previous: PolicyRuntime | undefined) => Promise<PolicyRuntime>;
  /** A bundle had to be read in this thread, which delayed requests. */
  readonly onLoadThreadFailed?: (error: unknown) => void;
}

/** The files at some moment, read and checked. */
interface FoundBundle {
  /** `readBundleSignature` before they were read. */
  readonly signature: string;
  readonly bundle: Result<LoadedBundle, LoadProblem[]>;
}

/** Read during the quiet period. */
interface EarlyReading {
  readonly turn: number;
  readonly found: Promise<FoundBundle>;
}

/**
 * Keeps the current bundle in sync with the files.
 *
 * - *empty*: before `start`. `current` must not be read.
 * - *good*: the latest files are in effect; `failure` is undefined.
 * - *stale*: the latest files are bad (or gone); the previous bundle stays in effect, and `failure` gives the reason.
 *
 * `start` leads to *good*, or fails and stays *empty*. Afterwards every load ends in *good* or *stale*. A load follows
 * notifications (timed by `LoadTiming`; the first of a burst reads the files at once, and the result is used if no
 * other follows) or a periodic comparison, which also detects what notifications miss: a replaced directory, a changed
 * link, an unsupported file system. Loads never overlap.
 */
export class PolicySource {
  readonly #options: PolicySourceOptions;
  readonly #clock: Clock;
  #current: PolicyRuntime | undefined;
  #bundle: PackedBundle | undefined;
  readonly #loader: BundleLoader;
  #files: readonly SourceFile[] = [];
  readonly #failures = new LoadFailures();
  #signature = '';
  readonly #watch: BundleWatch;
  #isWatching = false;
  readonly #timing: LoadTiming;
  /** Continues after a load that threw, so that a single error does not stop later loads. */
  readonly #loading = new SerialQueue();
  /** Number of queued loads and reads. */
  #turns = 0;
  /** Number of notifications so far. */
  #changes = 0;
  #early: EarlyReading | undefined;
  #closed = false;

  constructor(options: PolicySourceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#loader = new BundleLoader({ onThreadFailed: options.onLoadThreadFailed });
    this.#watch = new BundleWatch(resolve(options.path), () => this.#onChange());
    this.#timing = new LoadTiming({
      ...options,
      load: () => this.#runSupervised(() => this.reload()),
      compare: () => this.#runSupervised(() => this.#compare()),
    });
  }

  /** The current bundle. */
  get current(): PolicyRuntime {
    if (!this.#current) throw new Error('the policy source was not started');
    return this.#current;
  }

  /** The current bundle in pieces for another thread; the same object as long as it is current. */
  get packed(): PackedBundle {
    if (!this.#bundle) throw new Error('the policy source was not started');
    return this.#bundle;
  }

  /** The files of the current bundle. */
  get files(): readonly SourceFile[] {
    return this.#files;
  }

  get failure(): LoadFailure | undefined {
    return this.#failures.last;
  }

  /** Number of consecutive failed loads. */
  get consecutiveFailures(): number {
    return this.#failures.count;
  }

  /** Loads once. Follows changes only with `watch`. */
  async start(options: { readonly watch: boolean }): Promise<Result<PolicyRuntime, readonly LoadProblem[]>> {
    this.#isWatching = options.watch;
    await this.reload();
    if (!this.#current) {
      await this.close();
      return err(this.failure?.problems ?? []);
    }
    if (options.watch) this.#timing.startComparing();
    return ok(this.#current);
  }

  /** Loads now, without waiting for a notification. */
  async reload(): Promise<void> {
    await this.#enqueue((turn) => this.#load(turn));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.close();
    this.#timing.close();
    await this.#loading.settle();
    this.#loader.close();
  }

  #enqueue<T>(work: (turn: number) => Promise<T>): Promise<T> {
    this.#turns += 1;
    const turn = this.#turns;
    return this.#loading.run(() => work(turn));
  }

  async #load(turn: number): Promise<void> {
    if (this.#closed) return;
    const found = (await this.#takeEarly(turn)) ?? (await this.#find());
    if (this.#closed) return;
    if (!found.bundle.ok) return this.#fail(found.bundle.error, '');
    const { digest, files, result } = found.bundle.value;
    if (digest === this.#current?.digest) return this.#failures.clear();
    if (result === undefined || digest === this.#failures.digest) return;
    if (!result.ok) return this.#fail(result.error, digest);
    const { head } = result.value;
    const pieces: Uint8Array[] = [];
    const { apply = applyHere } = this.#options;
    const bundle = { head, pieces: () => keepPieces(result.value, pieces) };
    this.#current = await apply(bundle, this.#clock.now(), this.#current);
    this.#bundle = { head, pieces };
    this.#files = files;
    this.#failures.clear();
    this.#options.onLoad?.('applied', undefined);
  }

  /** Reads and checks the files; for a known bundle, only computes its digest. */
  async #find(): Promise<FoundBundle> {
    // Watches first: a change between reading and watching would be noticed late.
    await this.#refreshWatches();
    // Set before reading, so that the periodic comparison does not count it as another change.
    const signature = await readBundleSignature(this.#options.path);
    this.#signature = signature;
    const files = await readBundle(this.#options.path);
    if (!files.ok) return { signature, bundle: files };
    const known = [this.#current?.digest ?? '', this.#failures.digest];
    return { signature, bundle: ok(await this.#loader.load(files.value, known)) };
  }

  /**
   * Reads during the quiet period. The result is used if nothing changed since: no notification and the same signature,
   * because file times are coarse and notifications may be missed.
   */
  #readEarly(): void {
    const changes = this.#changes;
    const reading = this.#enqueue(() => this.#find());
    const found = reading.then((one) => ({ ...one, signature: changes === this.#changes ? one.signature : '' }));
    found.catch(() => undefined);
    this.#early = { turn: this.#turns, found };
  }

  /** A read that is queued after this load belongs to a later one; waiting for it would deadlock. */
  async #takeEarly(turn: number): Promise<FoundBundle | undefined> {
    const early = this.#early;
    if (early === undefined || early.turn > turn) return undefined;
    this.#early = undefined;
    const found = await early.found;
    if (found.signature === '') return undefined;
    return found.signature === (await readBundleSignature(this.#options.path)) ? found : undefined;
  }

  #fail(problems: readonly LoadProblem[], digest: string): void {
    const failure = this.#failures.add({ atMs: this.#clock.now(), problems }, digest);
    if (failure) this.#options.onLoad?.('failed', failure);
  }

  #onChange(): void {
    if (this.#closed) return;
    this.#changes += 1;
    if (this.#early === undefined) this.#readEarly();
    this.#timing.noteChange();
  }

  /** Loads if the files have changed since the last time, or if a retry is due. */
  async #compare(): Promise<void> {
    await this.#refreshWatches();
    const isChanged = (await readBundleSignature(this.#options.path)) !== this.#signature;
    if (isChanged || this.#failures.countDown()) await this.reload();
  }

  /**
   * An unexpected error of a load must not end the filter, because the current bundle is still good. The files may be
   * good as well, so they are retried although they did not change.
   */
  #runSupervised(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#failures.postponeRetry();
      const message = toErrorMessage(error);
      this.#fail([{ file: '.', line: 1, column: 1, field: '', rule: 'bundle.internal', message }], '');
    });
  }

  async #refreshWatches(): Promise<void> {
    if (this.#isWatching) await this.#watch.refresh();
  }
}

/** Passes on the pieces of a bundle, and keeps them. */
async function* keepPieces(bundle: OpenedBundle, kept: Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  for await (const piece of bundle.pieces()) {
    kept.push(piece);
    yield piece;
  }
}

async function applyHere(bundle: OpenedBundle, nowMs: number, previous?: PolicyRuntime): Promise<PolicyRuntime> {
  const builder = new RuntimeBuilder(bundle.head, { nowMs, ...(previous && { previous }) });
  for await (const piece of bundle.pieces()) builder.add(piece);
  return builder.finish();
}
