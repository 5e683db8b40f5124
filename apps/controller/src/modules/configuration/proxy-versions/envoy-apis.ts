import { failDocument } from '@flotilla/contract';
import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { compareVersions, type EnvoyDist, KNOWN_VERSIONS } from '@flotilla/envoy-dist';
import { type Logger, withDeadline } from '@flotilla/kit';
import { LRUCache } from 'lru-cache';

/** The Envoy API of each proxy version. A version is loaded at its first use: most installations use one or two. */
export interface EnvoyApis {
  /** Throws version.unknown with the list of known versions. */
  get(version: string): Promise<EnvoyApi>;
  /** The same without a download: for a version without a local binary, the API that ships with the controller. */
  getHere(version: string): Promise<EnvoyApi>;
  /** Exact versions that `get` accepts, newest first. */
  known(): Promise<string[]>;
  /** The newest version with a local binary, else the newest known one. */
  newest(): Promise<string>;
}

export interface EnvoyApisOptions {
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

/** Interval of checking whether the binary of a version that uses the shipped API has arrived. */
const RECHECK_MS = 10_000;

export function createEnvoyApis(options: EnvoyApisOptions): EnvoyApis {
  const loaded = new LRUCache<string, Loaded>({ max: LOADED_MAX });

  const known = async (): Promise<string[]> => {
    const installed = (await options.dist.list()).map(({ version }) => version);
    return [...new Set([...installed, ...KNOWN_VERSIONS])].sort((a, b) => compareVersions(b, a));
  };

  const requireKnown = async (version: string): Promise<void> => {
    const versions = await known();
    if (!versions.includes(version)) throw failDocument('version.unknown', { version, known: versions.join(', ') });
  };

  const load = async (version: string): Promise<EnvoyApi> => {
    await requireKnown(version);
    const binary = (await options.dist.find(version)) ?? (await fetchBinary(version, options));
    return loadEnvoyApi({
      version,
      ...(binary && { binaryPath: binary.path, binarySha256: binary.sha256 }),
      cacheDir: options.cacheDir,
    });
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
    if (api.source === 'binary' || Date.now() - present.checkedAt < RECHECK_MS) return api;
    present.checkedAt = Date.now();
    if (!(await options.dist.find(version))) return api;
    return keep(version, { api: load(version), checkedAt: Date.now() });
  };

  return {
    known,
    get,
    async getHere(version) {
      await requireKnown(version);
      if (await options.dist.find(version)) return get(version);
      // Not cached here: the first `get` of this version should download its binary.
      return loadEnvoyApi({ version, cacheDir: options.cacheDir });
    },
    async newest() {
      const installed = (await options.dist.list()).map(({ version }) => version);
      const [newest] = (installed.length > 0 ? installed : [...KNOWN_VERSIONS]).toSorted((a, b) =>
        compareVersions(b, a),
      );
      if (newest === undefined) throw new Error('no proxy version is known');
      return newest;
    },
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
