import type { Buffer } from 'node:buffer';
import { failDocument, findArchiveAddressProblem, type ReleaseKind } from '@flotilla/contract';
import { err, type Logger, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { type ArchiveBinary, type ArchiveIndex, findAnyEnvoy, findBinary, parseArchiveIndex } from './archive-index.ts';
import { fetchIndex } from './fetch-index.ts';
import { IndexFile, type StoredIndex } from './index-file.ts';

/** The newest known index of the archive. */
export interface ArchiveView {
  readonly archiveUrl: string;
  /** As the archive has sent it. */
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly fetchedAt: Date;
  /** Why the archive could not be asked now. Undefined: it has confirmed this index. */
  readonly stale: string | undefined;
  readonly index: ArchiveIndex;
}

export interface ReleaseArchiveOptions {
  /** The configured address. It is read for every request, because it is a setting. */
  readonly address: () => Promise<string | undefined>;
  /** File that keeps the last index over restarts. */
  readonly file: string;
  readonly logger: Logger;
  readonly timeoutMs?: number;
}

/** The download of a release for a host, or why the archive does not offer it. Undefined: there is no archive. */
export type Offer = Result<{ readonly url: string; readonly sha256: string }, string> | undefined;

/** Why the archive gives no Envoy of a version. `isCertain`: it does not list the version, or there is no archive. */
export interface NotFound {
  readonly reason: string;
  readonly isCertain: boolean;
}

const TIMEOUT_MS = 10_000;
/** Age of the index from which `find` asks the archive again. */
const ASK_AGAIN_MS = 5000;
/** Age from which `offer` asks the archive again. */
const FRESH_MS = 60_000;
/** After a failure, `offer` does not wait for the archive again for this time. */
const RETRY_MS = 10_000;

interface Known extends StoredIndex {
  readonly index: ArchiveIndex;
}

/**
 * The release archive. Its index is kept with its entity tag, in memory and in a file. If the archive cannot be asked, the
 * kept index counts, and says so. An index of another address is never used.
 */
export class ReleaseArchive {
  readonly #options: ReleaseArchiveOptions;
  readonly #file: IndexFile;
  #known: Known | undefined;
  #isFileRead = false;
  #failed: { readonly archiveUrl: string; readonly at: number; readonly reason: string } | undefined;
  readonly #running = new Map<string, Promise<ArchiveView>>();

  constructor(options: ReleaseArchiveOptions) {
    this.#options = options;
    this.#file = new IndexFile(options.file, options.logger);
  }

  /** Asks the archive. Throws archive.unavailable with the reason if there is no index at all. */
  async read(): Promise<ArchiveView> {
    const archiveUrl = await this.#options.address();
    if (archiveUrl) return this.#readFrom(archiveUrl);
    const reason = 'no archive is configured; set archive_url in the settings of the archive, or SVC_ARCHIVE_URL';
    // Waiting does not help, so there is no Retry-After.
    throw failDocument('archive.unavailable', { reason });
  }

  /** The download of a release for a host. Waits for the archive only if nothing is known. Never throws. */
  async offer(wanted: { kind: ReleaseKind; version: string; arch: string }): Promise<Offer> {
    const archiveUrl = await this.#options.address();
    if (!archiveUrl) return undefined;
    const index = await this.#findIndex(archiveUrl);
    if (!index.ok) return index;
    const binary = findBinary(index.value, wanted);
    return binary.ok ? ok({ url: binary.value.download_url, sha256: binary.value.sha256 }) : binary;
  }

  /**
   * An Envoy of this version for some machine. Asks the archive unless it has just answered, because a release may be new
   * or corrected; the last index counts if the archive cannot be asked.
   */
  async find(version: string): Promise<Result<ArchiveBinary, NotFound>> {
    const archiveUrl = await this.#options.address();
    if (!archiveUrl) return err({ reason: 'no release archive is configured', isCertain: true });
    const { index, stale } = await this.#findFreshIndex(archiveUrl);
    const found = index && findAnyEnvoy(index, version);
    if (found) return ok(found);
    if (stale !== undefined) return err({ reason: `the release archive cannot be read: ${stale}`, isCertain: false });
    return err({ reason: `the release archive does not list Envoy ${version}`, isCertain: true });
  }

  /** `stale` says why the archive could not be asked. */
  async #findFreshIndex(archiveUrl: string): Promise<{ index?: ArchiveIndex | undefined; stale?: string | undefined }> {
    const known = await this.#findKnown(archiveUrl);
    const failed = this.#failed;
    if (failed?.archiveUrl === archiveUrl && Date.now() - failed.at < RETRY_MS)
      return { index: known?.index, stale: failed.reason };
    if (known && Date.now() - known.fetchedAt.getTime() < ASK_AGAIN_MS) return { index: known.index };
    try {
      return await this.#readFrom(archiveUrl);
    } catch (error) {
      return { stale: this.#failed?.reason ?? toErrorMessage(error) };
    }
  }

  async #findIndex(archiveUrl: string): Promise<Result<ArchiveIndex, string>> {
    const known = await this.#findKnown(archiveUrl);
    const hasJustFailed = this.#failed?.archiveUrl === archiveUrl && Date.now() - this.#failed.at < RETRY_MS;
    const isOld = !known || Date.now() - known.fetchedAt.getTime() > FRESH_MS;
    const refreshed =
      isOld && !hasJustFailed
        ? this.#readFrom(archiveUrl).then(
            ({ index }) => ok(index),
            (error: Error) => err(error.message),
          )
        : undefined;
    if (known) return ok(known.index);
    return (await refreshed) ?? err('the release archive could not be read a moment ago');
  }

  /** Concurrent callers share one request. */
  #readFrom(archiveUrl: string): Promise<ArchiveView> {
    const running = this.#running.get(archiveUrl);
    if (running) return running;
    const view = this.#refresh(archiveUrl).finally(() => this.#running.delete(archiveUrl));
    this.#running.set(archiveUrl, view);
    return view;
  }

  async #refresh(archiveUrl: string): Promise<ArchiveView> {
    const known = await this.#findKnown(archiveUrl);
    const fetched = await this.#fetch(archiveUrl, known);
    if (!fetched.ok) {
      this.#failed = { archiveUrl, at: Date.now(), reason: fetched.error };
      this.#options.logger.warn({ reason: fetched.error }, 'archive.unavailable');
      if (known) return { ...known, stale: fetched.error };
      throw failDocument('archive.unavailable', { reason: fetched.error }, { extra: { retry_after: 10 } });
    }
    this.#known = fetched.value;
    this.#failed = undefined;
    await this.#file.write(fetched.value);
    return { ...fetched.value, stale: undefined };
  }

  async #fetch(archiveUrl: string, known: Known | undefined): Promise<Result<Known, string>> {
    const problem = findArchiveAddressProblem(archiveUrl);
    if (problem !== undefined) return err(`its address ${problem}`);
    const url = `${archiveUrl.replace(/\/+$/, '')}/index.json`;
    const fetched = await fetchIndex(url, { etag: known?.etag, timeoutMs: this.#options.timeoutMs ?? TIMEOUT_MS });
    if (!fetched.ok) return fetched;
    const fetchedAt = new Date();
    if (fetched.value === 'unchanged') return known ? ok({ ...known, fetchedAt }) : err('it answered 304');
    const index = parseArchiveIndex(fetched.value.bytes, url);
    return index.ok ? ok({ ...fetched.value, archiveUrl, fetchedAt, index: index.value }) : index;
  }

  async #findKnown(archiveUrl: string): Promise<Known | undefined> {
    if (!this.#isFileRead) {
      this.#isFileRead = true;
      const stored = await this.#file.read();
      const index = stored && parseArchiveIndex(stored.bytes, `${stored.archiveUrl.replace(/\/+$/, '')}/index.json`);
      if (stored && index?.ok) this.#known ??= { ...stored, index: index.value };
    }
    return this.#known?.archiveUrl === archiveUrl ? this.#known : undefined;
  }
}
