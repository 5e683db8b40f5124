import { join } from 'node:path';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { type DownloadFailure, downloadFile } from './download.ts';
import { findProgramProblem } from './program-header.ts';
import type { CatalogEntry } from './types.ts';
import { parseVersionRequest } from './version.ts';
import type { StoredVersion, VersionStore } from './version-store.ts';

/** Why a release of an archive is not installed. The versions on disk are as before. */
export interface ReleaseProblem {
  readonly code:
    | DownloadFailure['kind']
    | 'digest'
    | 'wrong_architecture'
    | 'not_usable'
    | 'quota'
    | 'disk'
    | 'permission';
  readonly version: string;
  /** Says what happened, for display. */
  readonly message: string;
}

/** The steps of an install in their order. `download` is repeated with the bytes so far. */
export type InstallStep = 'download' | 'verify' | 'probe' | 'place' | 'describe' | 'switch' | 'settle';

export interface ReleaseInstallOptions {
  /** Downloads and replaces a version that is already there. */
  readonly force?: boolean;
  /** Identifies the request. A request that has already installed the version is done, even with `force`. */
  readonly installId?: string;
  /** The most bytes that there can be space for. */
  readonly maxBytes?: number;
  /** Makes space for the downloaded bytes. The error says why there is none. */
  readonly makeRoom?: (bytes: number) => Promise<Result<undefined, string>>;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: InstallStep, receivedBytes: number, totalBytes: number | undefined) => void;
}

export interface BorrowOptions extends Pick<ReleaseInstallOptions, 'signal' | 'onStep'> {
  /** The machine that the release is for. */
  readonly machine: string;
}

export interface ReleaseStoreOptions {
  readonly store: VersionStore;
  readonly maxBytes: number;
  /** Checks a file with the right digest. */
  readonly check: (
    path: string,
    version: string,
  ) => Promise<Result<{ readonly hotRestartVersion: string }, Pick<ReleaseProblem, 'code'> & { problem: string }>>;
}

type Failure = Pick<ReleaseProblem, 'code'> & { readonly problem: string };

/** Installs releases of an archive, whose digests the caller knows from elsewhere. */
export class ReleaseStore {
  readonly #options: ReleaseStoreOptions;

  constructor(options: ReleaseStoreOptions) {
    this.#options = options;
  }

  list(): Promise<StoredVersion[]> {
    return this.#options.store.list();
  }

  find(version: string): Promise<StoredVersion | undefined> {
    return this.#options.store.read(version);
  }

  remove(version: string): Promise<boolean> {
    return this.#options.store.remove(version);
  }

  /** Deletes what killed processes have left. */
  sweep(): Promise<void> {
    return this.#options.store.sweep();
  }

  /** A version that is there is kept, whatever its digest, unless `force` is set. */
  async install(
    entry: CatalogEntry,
    options: ReleaseInstallOptions = {},
  ): Promise<Result<StoredVersion, ReleaseProblem>> {
    const request = parseVersionRequest(entry.version);
    if (request?.kind !== 'exact') return refuse(entry, { code: 'not_usable', problem: 'has no exact version' });
    if (!/^[0-9a-fA-F]{64}$/.test(entry.sha256)) return refuse(entry, { code: 'digest', problem: 'has no SHA-256' });
    const { version } = request;
    try {
      const there = await this.#options.store.read(version);
      const isDone = options.installId !== undefined && there?.installedBy === options.installId;
      if (there && (isDone || options.force !== true)) return ok(there);
      const installed = await this.#options.store.withStage((stage) =>
        this.#installIn(stage, { ...entry, version }, options),
      );
      return installed.ok ? installed : refuse(entry, installed.error);
    } catch (error) {
      return err({ code: codeOf(error), version, message: `${this.#options.store.dir}: ${toErrorMessage(error)}` });
    }
  }

  /**
   * Downloads a release for `use` and deletes it afterwards. Nothing is installed, and nothing of it runs here, so it may
   * be a program for another machine (`linux-arm64`). Errors of `use` are thrown.
   */
  async borrow<T>(
    entry: CatalogEntry,
    { machine, signal, onStep = () => undefined }: BorrowOptions,
    use: (path: string) => Promise<T>,
  ): Promise<Result<T, ReleaseProblem>> {
    const { store, maxBytes } = this.#options;
    const { version } = entry;
    let isLent = false;
    try {
      return await store.withStage(async (stage) => {
        const path = join(stage, 'download');
        const downloaded = await downloadVerified(entry, path, { maxBytes, onStep, ...(signal && { signal }) });
        if (!downloaded.ok) return refuse(entry, downloaded.error);
        const wrong = await findProgramProblem(path, machine);
        if (wrong) return refuse(entry, { code: wrong.kind, problem: wrong.problem });
        isLent = true;
        return ok(await use(path));
      });
    } catch (error) {
      if (isLent) throw error;
      return err({ code: codeOf(error), version, message: `${store.dir}: ${toErrorMessage(error)}` });
    }
  }

  async #installIn(
    stage: string,
    entry: CatalogEntry,
    { force = false, installId, onStep = () => undefined, ...options }: ReleaseInstallOptions,
  ): Promise<Result<StoredVersion, Failure>> {
    const path = join(stage, 'download');
    const maxBytes = Math.min(this.#options.maxBytes, options.maxBytes ?? Number.POSITIVE_INFINITY);
    const { signal } = options;
    const downloaded = await downloadVerified(entry, path, { maxBytes, onStep, ...(signal && { signal }) });
    if (!downloaded.ok) return downloaded;
    const { sha256, size } = downloaded.value;
    onStep('probe', size, size);
    const checked = await this.#options.check(path, entry.version);
    if (!checked.ok) return checked;
    if (options.signal?.aborted) return err({ code: 'aborted', problem: 'was not installed: it was stopped' });
    const room = await options.makeRoom?.(size);
    if (room?.ok === false) return err({ code: 'quota', problem: room.error });
    const facts = {
      version: entry.version,
      sha256,
      origin: entry.url,
      ...checked.value,
      ...(installId !== undefined && { installedBy: installId }),
    };
    const onPlacing = (step: InstallStep) => onStep(step, size, size);
    const { store } = this.#options;
    return ok(
      force ? await store.replace(stage, path, { facts, onPlacing }) : await store.place(stage, path, facts, onPlacing),
    );
  }
}

function refuse({ url, version }: CatalogEntry, { code, problem }: Failure): Result<never, ReleaseProblem> {
  return err({ code, version, message: `${url} ${problem}` });
}

/** Downloads an entry into the new file `path` and compares its digest. */
async function downloadVerified(
  { url, sha256 }: CatalogEntry,
  path: string,
  { maxBytes, onStep, signal }: DownloadLimits,
): Promise<Result<{ readonly sha256: string; readonly size: number }, Failure>> {
  let size = 0;
  onStep('download', 0, undefined);
  const digest = await downloadFile(url, path, {
    maxBytes,
    onlyAllowedAddresses: true,
    onBytes: (received, total) => {
      size = received;
      onStep('download', received, total);
    },
    ...(signal && { signal }),
  });
  if (!digest.ok) return err({ code: digest.error.kind, problem: digest.error.problem });
  onStep('verify', size, size);
  if (digest.value === sha256.toLowerCase()) return ok({ sha256: digest.value, size });
  return err({ code: 'digest', problem: `has SHA-256 ${digest.value}, and the index says ${sha256}` });
}

type DownloadLimits = { readonly maxBytes: number } & Required<Pick<ReleaseInstallOptions, 'onStep'>> &
  Pick<ReleaseInstallOptions, 'signal'>;

function codeOf(error: unknown): 'permission' | 'disk' {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'permission' : 'disk';
}
