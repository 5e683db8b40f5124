import { resolve } from 'node:path';
import { type BundleHead, type PolicyRuntime, RuntimeBuilder } from '@flotilla/decision';
import { type Clock, err, ok, type Result, SerialQueue, systemClock, toErrorMessage } from '@flotilla/kit';
import type { LoadProblem } from '@flotilla/policy';
import { readBundle, readBundleSignature } from './bundle-reader.ts';
import { BundleWatch } from './bundle-watch.ts';
import { BundleLoader, type LoadedBundle, type OpenedBundle, type SourceFile } from './load-bundle.ts';
import { type LoadFailure, LoadFailures } from './load-failures.ts';
import { type LoadTimes, LoadTiming } from './load-timing.ts';

/** A bundle as `packPolicies` makes it. */
export interface PackedBundle {
  readonly head: BundleHead;
  /** In order. */
  readonly pieces: readonly Uint8Array[];
}

export interface PolicySourceOptions extends LoadTimes {
  /** A policy file or a directory. */
  readonly path: string;
  /** Called after a load that changed something: a new bundle holds, or a bad one was turned away. */
  readonly onLoad?: (result: 'applied' | 'failed', failure: LoadFailure | undefined) => void;
  readonly clock?: Clock;
  /** Makes a good bundle the one that holds; resolves once it does. Here, and all at once, unless given. */
  readonly apply?: (bundle: OpenedBundle, nowMs: number, previous: PolicyRuntime | undefined) => Promise<PolicyRuntime>;
  /** A bundle had to be read in this thread; requests waited for it. */
  readonly onLoadThreadFailed?: (error: unknown) => void;
}

/** What the files were at some moment, read and checked. */
interface FoundBundle {
  /** `readBundleSignature` before they were read. */
  readonly signature: string;
  readonly bundle: Result<LoadedBundle, LoadProblem[]>;
}

/** What is read while further changes are waited for. */
interface EarlyReading {
  readonly turn: number;
  readonly found: Promise<FoundBundle>;
}

/**
 * Keeps the bundle that holds in step with the files.
 *
 * - *empty*: before `start`. `current` may not be read.
 * - *good*: the newest files are the ones that hold; `failure` is undefined.
 * - *stale*: the newest files are bad (or gone); the bundle before them holds on, `failure` says what is wrong.
 *
 * `start` succeeds into *good* or fails and stays *empty*. Afterwards every load ends in *good* or *stale*. A load
 * follows notifications (`LoadTiming` says when; the first of a burst has the files read at once, which counts if no other
 * follows) or a periodic comparison, which also notices what notifications miss: a directory that was replaced, a link that
 * points elsewhere, a file system without them. Loads never overlap.
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
  /** Also after a load that threw: one accident must not be the last load. */
  readonly #loading = new SerialQueue();
  /** Loads and readings that were given their place in the line. */
  #turns = 0;
  /** Notifications so far. */
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

  /** The bundle that holds. */
  get current(): PolicyRuntime {
    if (!this.#current) throw new Error('the policy source was not started');
    return this.#current;
  }

  /** The bundle that holds, in pieces for another thread; one object as long as it holds. */
  get packed(): PackedBundle {
    if (!this.#bundle) throw new Error('the policy source was not started');
    return this.#bundle;
  }

  /** The files of the bundle that holds. */
  get files(): readonly SourceFile[] {
    return this.#files;
  }

  get failure(): LoadFailure | undefined {
    return this.#failures.last;
  }

  /** Loads in a row that were turned away. */
  get consecutiveFailures(): number {
    return this.#failures.count;
  }

  /** Loads once. Only with `watch` are changes followed afterwards. */
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

  /** The files as they are, read and checked; of a bundle that is known already, only its digest. */
  async #find(): Promise<FoundBundle> {
    // Watch first: what changes between reading and watching would be noticed late.
    await this.#refreshWatches();
    // Also while it is read: the periodic comparison must not take it for another change.
    const signature = await readBundleSignature(this.#options.path);
    this.#signature = signature;
    const files = await readBundle(this.#options.path);
    if (!files.ok) return { signature, bundle: files };
    const known = [this.#current?.digest ?? '', this.#failures.digest];
    return { signature, bundle: ok(await this.#loader.load(files.value, known)) };
  }

  /**
   * Reads while further changes are waited for. What was read counts if there were none: neither a notification nor another
   * signature, for times of files are coarse, and notifications may be missed.
   */
  #readEarly(): void {
    const changes = this.#changes;
    const reading = this.#enqueue(() => this.#find());
    const found = reading.then((one) => ({ ...one, signature: changes === this.#changes ? one.signature : '' }));
    found.catch(() => undefined);
    this.#early = { turn: this.#turns, found };
  }

  /** A reading that waits behind the load itself is for a later one: to wait for it would be to wait for ever. */
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

  /** Loads where the files are others than the last time, or are to be tried again. */
  async #compare(): Promise<void> {
    await this.#refreshWatches();
    const isChanged = (await readBundleSignature(this.#options.path)) !== this.#signature;
    if (isChanged || this.#failures.countDown()) await this.reload();
  }

  /**
   * An unforeseen error of a load must not end the filter: the bundle that holds is still good. The files may be, too, so
   * they are tried again although they did not change.
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

/** Hands the pieces of a bundle through, and keeps them. */
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
