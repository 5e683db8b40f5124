import { failDocument } from '@flotilla/contract';
import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { compareVersions, type EnvoyDist, KNOWN_VERSIONS } from '@flotilla/envoy-dist';
import { type Logger, withDeadline } from '@flotilla/kit';

/** What each proxy version understands. A version is loaded at its first use: most installations use one or two. */
export interface EnvoyApis {
  /** Throws version.unknown, with the versions that are known. */
  get(version: string): Promise<EnvoyApi>;
  /** The same without a download: of a version whose binary is not here, the set that ships with us. */
  getHere(version: string): Promise<EnvoyApi>;
  /** Exact versions that `get` takes, newest first. */
  known(): Promise<string[]>;
  /** Of the versions whose binary is here the newest, else the newest known one. */
  newest(): Promise<string>;
}

export interface EnvoyApisOptions {
  readonly dist: Pick<EnvoyDist, 'find' | 'list' | 'ensure'>;
  readonly cacheDir: string;
  readonly logger: Logger;
  /** How long a request may wait for the binary of a version that is not here yet. */
  readonly fetchDeadlineMs?: number;
}

/** Versions held ready at a time; a set of descriptors takes some 20 MB. */
const LOADED_MAX = 4;
const FETCH_DEADLINE_MS = 90_000;

interface Loaded {
  readonly api: Promise<EnvoyApi>;
  checkedAt: number;
}

/** How often it is looked whether the binary of a version that runs on the general set has come. */
const RECHECK_MS = 10_000;

export function createEnvoyApis(options: EnvoyApisOptions): EnvoyApis {
  const loaded = new Map<string, Loaded>();

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
    // Anew to the end: the order of the map is the order of use.
    loaded.delete(version);
    loaded.set(version, entry);
    const oldest = loaded.keys().next().value;
    if (loaded.size > LOADED_MAX && oldest !== undefined) loaded.delete(oldest);
    entry.api.catch(() => {
      if (loaded.get(version) === entry) loaded.delete(version);
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
      // Not kept here: the first `get` of this version shall fetch its binary.
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

/** Undefined when the binary cannot be had: then the API that ships with us checks documents of this version. */
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
