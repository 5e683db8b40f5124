import { type EnvoyApi, loadEnvoyApi, loadOptionsOf } from '@flotilla/envoy-api';
import type { EnvoyDist } from '@flotilla/envoy-dist';
import { type Logger, withDeadline } from '@flotilla/kit';
import { LRUCache } from 'lru-cache';
import { createVersionList, type VersionListOptions, type VersionSource } from './version-list.ts';

/** The Envoy API of each proxy version. A version is loaded at its first use: most installations use one or two. */
export interface EnvoyApis {
  /** Throws version.unknown with the list of known versions, or version.unprepared if the archive has the version. */
  get(version: string): Promise<EnvoyApi>;
  /** The same without a download: for a version without a local binary, the API that ships with the controller. */
  getHere(version: string): Promise<EnvoyApi>;
  /** Throws as `get` does, without loading the API. */
  requireKnown(version: string): Promise<void>;
  /** Exact versions that `get` accepts, newest first. */
  known(): Promise<string[]>;
  /** The same versions in no order, and where the descriptors of each come from. */
  sources(): Promise<ReadonlyMap<string, VersionSource>>;
  /**
   * The newest version with a local binary, else the newest that this release knows. A prepared version counts only if
   * it is chosen.
   */
  newest(): Promise<string>;
}

export interface EnvoyApisOptions extends VersionListOptions {
  readonly dist: Pick<EnvoyDist, 'find' | 'list' | 'ensure'>;
  readonly cacheDir: string;
  readonly logger: Logger;
  /** How long a request may wait for the download of a binary. */
  readonly fetchDeadlineMs?: number;
}

/** Maximum of versions in memory; one takes about 20 MB. */
const LOADED_MAX = 4;
const FETCH_DEADLINE_MS = 90_000;

interface Loaded {
  readonly api: Promise<EnvoyApi>;
  checkedAt: number;
}

/** Interval of checking whether better descriptors of a loaded version have arrived. */
const RECHECK_MS = 10_000;

export function createEnvoyApis(options: EnvoyApisOptions): EnvoyApis {
  const { dist, prepared } = options;
  const versions = createVersionList(options);
  const loaded = new LRUCache<string, Loaded>({ max: LOADED_MAX });

  const load = async (version: string): Promise<EnvoyApi> => {
    await versions.requireKnown(version);
    const descriptors = await prepared.find(version);
    if (descriptors) return loadEnvoyApi({ version, descriptors });
    const binary = (await dist.find(version)) ?? (await fetchBinary(version, options));
    return loadEnvoyApi({
      version,
      ...(binary && { binaryPath: binary.path, binarySha256: binary.sha256 }),
      cacheDir: options.cacheDir,
    });
  };

  const isOutdated = async (api: EnvoyApi): Promise<boolean> => {
    const digest = await prepared.findDigest(api.version);
    if (digest !== undefined) return digest !== loadOptionsOf(api).descriptors?.sha256;
    return api.source === 'package' && (await dist.find(api.version)) !== undefined;
  };

  const keep = (version: string, entry: Loaded): Promise<EnvoyApi> => {
    loaded.set(version, entry);
    entry.api.catch(() => {
      if (loaded.peek(version) === entry) loaded.delete(version);
    });
    return entry.api;
  };

  const get = async (version: string): Promise<EnvoyApi> => {
    const present = loaded.get(version);
    if (!present) return keep(version, { api: load(version), checkedAt: Date.now() });
    const api = await keep(version, present);
    if (Date.now() - present.checkedAt < RECHECK_MS) return api;
    present.checkedAt = Date.now();
    if (!(await isOutdated(api))) return api;
    return keep(version, { api: load(version), checkedAt: Date.now() });
  };

  return {
    known: versions.known,
    requireKnown: versions.requireKnown,
    sources: versions.sources,
    get,
    async getHere(version) {
      await versions.requireKnown(version);
      if ((await prepared.findDigest(version)) !== undefined || (await dist.find(version))) return get(version);
      // Not cached here: the first `get` of this version should download its binary.
      return loadEnvoyApi({ version, cacheDir: options.cacheDir });
    },
    newest: versions.newest,
  };
}

/** undefined if the download fails: then the API that ships with the controller checks documents of this version. */
async function fetchBinary(version: string, { dist, logger, fetchDeadlineMs = FETCH_DEADLINE_MS }: EnvoyApisOptions) {
  try {
    const fetched = await withDeadline(dist.ensure(version), fetchDeadlineMs, 'the download takes too long');
    if (fetched.ok) return fetched.value;
    logger.warn({ version, reason: fetched.error.code }, 'proxy_versions.descriptors_fallback');
  } catch (error) {
    logger.warn({ version, err: error }, 'proxy_versions.descriptors_fallback');
  }
  return undefined;
}
