import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { type PackedItem, type PolicyRuntime, RuntimeBuilder, unpackPolicies } from '@flotilla/decision';
import { type Clock, err, ok, type Result, systemClock } from '@flotilla/kit';
import { digestBundle, type LoadedPolicies, type LoadProblem, type PolicyFile } from '@flotilla/policy';
import { readBundle, readBundleSignature } from './bundle-reader.ts';
import { BundleWatch } from './bundle-watch.ts';
import { BundleLoader, type OpenedBundle } from './load-bundle.ts';

export interface LoadFailure {
  readonly atMs: number;
  readonly problems: readonly LoadProblem[];
}

/** A file of the bundle that holds. */
export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, 64 hex digits. */
  readonly sha256: string;
}

export interface PolicySourceOptions {
  /** A policy file or a directory. */
  readonly path: string;
  /** Called after a load that changed something: a new bundle holds, or a bad one was turned away. */
  readonly onLoad?: (result: 'applied' | 'failed', failure: LoadFailure | undefined) => void;
  readonly clock?: Clock;
  /** Makes a good bundle the one that holds; resolves once it does. Here, and all at once, unless given. */
  readonly apply?: (bundle: OpenedBundle, nowMs: number, previous: PolicyRuntime | undefined) => Promise<PolicyRuntime>;
  /** Quiet time after the last change before a load, in ms. */
  readonly debounceMs?: number;
  /** A burst of changes without quiet time is loaded after this time all the same, in ms. */
  readonly burstMaxMs?: number;
  /** How often the files are compared without any notification, in ms. */
  readonly rescanMs?: number;
}

const DEBOUNCE_MS = 50;
const BURST_MAX_MS = 1000;
const RESCAN_MS = 2000;

/**
 * Keeps the bundle that holds in step with the files.
 *
 * - *empty*: before `start`. `current` may not be read.
 * - *good*: the newest files are the ones that hold; `failure` is undefined.
 * - *stale*: the newest files are bad (or gone); the bundle before them holds on, `failure` says what is wrong.
 *
 * `start` succeeds into *good* or fails and stays *empty*. Afterwards every load ends in *good* or *stale*. A load
 * follows a notification (debounced) or a periodic comparison, which also notices what notifications miss: a directory
 * that was replaced, a link that points elsewhere, a file system without them. Loads never overlap.
 */
export class PolicySource {
  readonly #options: PolicySourceOptions;
  readonly #clock: Clock;
  #current: PolicyRuntime | undefined;
  #bundle: { readonly head: OpenedBundle['head']; readonly items: readonly PackedItem[] } | undefined;
  readonly #loader = new BundleLoader();
  #files: readonly SourceFile[] = [];
  #failure: LoadFailure | undefined;
  #failedDigest = '';
  #failures = 0;
  #signature = '';
  readonly #watch: BundleWatch;
  #isWatching = false;
  #debounce: NodeJS.Timeout | undefined;
  #burstBeganMs: number | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #loading: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: PolicySourceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#watch = new BundleWatch(resolve(options.path), () => this.#onChange());
  }

  /** The bundle that holds. */
  get current(): PolicyRuntime {
    if (!this.#current) throw new Error('the policy source was not started');
    return this.#current;
  }

  /** The bundle that holds, before it was compiled. */
  get loaded(): LoadedPolicies {
    if (!this.#bundle) throw new Error('the policy source was not started');
    return unpackPolicies(this.#bundle.head, this.#bundle.items);
  }

  /** The files of the bundle that holds. */
  get files(): readonly SourceFile[] {
    return this.#files;
  }

  get failure(): LoadFailure | undefined {
    return this.#failure;
  }

  /** Loads in a row that were turned away. */
  get consecutiveFailures(): number {
    return this.#failures;
  }

  /** Loads once. Only with `watch` are changes followed afterwards. */
  async start(options: { readonly watch: boolean }): Promise<Result<PolicyRuntime, readonly LoadProblem[]>> {
    this.#isWatching = options.watch;
    await this.reload();
    if (!this.#current) {
      await this.close();
      return err(this.#failure?.problems ?? []);
    }
    if (options.watch) this.#scheduleRescan();
    return ok(this.#current);
  }

  /** Loads now, without waiting for a notification. */
  async reload(): Promise<void> {
    // Also after a load that threw: one accident must not be the last load.
    const load = () => this.#load();
    this.#loading = this.#loading.then(load, load);
    await this.#loading;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.close();
    clearTimeout(this.#debounce);
    clearTimeout(this.#rescan);
    await this.#loading;
    this.#loader.close();
  }

  async #load(): Promise<void> {
    if (this.#closed) return;
    // Watch first: what changes between reading and watching would be noticed late.
    await this.#refreshWatches();
    this.#signature = await readBundleSignature(this.#options.path);
    const files = await readBundle(this.#options.path);
    if (!files.ok) return this.#fail(files.error, '');
    const digest = digestBundle(files.value);
    if (digest === this.#current?.digest) return this.#recover();
    if (digest === this.#failedDigest) return;
    const opened = await this.#loader.load(files.value);
    if (this.#closed) return;
    if (!opened.ok) return this.#fail(opened.error, digest);
    const { head } = opened.value;
    const described = files.value.map(describeFile);
    const items: PackedItem[] = [];
    const bundle = { head, items: () => keepItems(opened.value, items) };
    const { apply = applyHere } = this.#options;
    this.#current = await apply(bundle, this.#clock.now(), this.#current);
    this.#bundle = { head, items };
    this.#files = described;
    this.#recover();
    this.#options.onLoad?.('applied', undefined);
  }

  #recover(): void {
    this.#failure = undefined;
    this.#failedDigest = '';
    this.#failures = 0;
  }

  #fail(problems: readonly LoadProblem[], digest: string): void {
    // Unreadable files have no digest: the same words again are the same failure.
    const known =
      digest === '' && this.#failedDigest === '' && this.#failure?.problems[0]?.message === problems[0]?.message;
    this.#failedDigest = digest;
    if (known) return;
    this.#failure = { atMs: this.#clock.now(), problems };
    this.#failures += 1;
    this.#options.onLoad?.('failed', this.#failure);
  }

  #onChange(): void {
    if (this.#closed) return;
    const now = this.#clock.monotonic();
    this.#burstBeganMs ??= now;
    const { debounceMs = DEBOUNCE_MS, burstMaxMs = BURST_MAX_MS } = this.#options;
    const wait = Math.max(0, Math.min(debounceMs, this.#burstBeganMs + burstMaxMs - now));
    clearTimeout(this.#debounce);
    this.#debounce = setTimeout(() => {
      this.#burstBeganMs = undefined;
      this.#runSupervised(() => this.reload());
    }, wait);
  }

  #scheduleRescan(): void {
    if (this.#closed) return;
    this.#rescan = setTimeout(() => {
      this.#runSupervised(async () => {
        await this.#refreshWatches();
        if ((await readBundleSignature(this.#options.path)) !== this.#signature) await this.reload();
      });
      this.#scheduleRescan();
    }, this.#options.rescanMs ?? RESCAN_MS);
    this.#rescan.unref();
  }

  /** An unforeseen error of a load must not end the filter: the bundle that holds is still good. */
  #runSupervised(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#fail([{ file: '.', line: 1, column: 1, field: '', rule: 'bundle.internal', message }], '');
    });
  }

  async #refreshWatches(): Promise<void> {
    if (this.#isWatching) await this.#watch.refresh();
  }
}

function describeFile({ path, content }: PolicyFile): SourceFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { path, bytes: bytes.byteLength, sha256: hash('sha256', bytes, 'hex') };
}

/** Hands the pieces of a bundle through, and keeps them. */
async function* keepItems(bundle: OpenedBundle, kept: PackedItem[]): AsyncGenerator<readonly PackedItem[], void> {
  for await (const items of bundle.items()) {
    kept.push(...items);
    yield items;
  }
}

async function applyHere(bundle: OpenedBundle, nowMs: number, previous?: PolicyRuntime): Promise<PolicyRuntime> {
  const builder = new RuntimeBuilder(bundle.head, { nowMs, ...(previous && { previous }) });
  for await (const items of bundle.items()) for (const item of items) builder.add(item);
  return builder.finish();
}
