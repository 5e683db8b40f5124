import { type DescriptorSource, failDocument } from '@flotilla/contract';
import { type EnvoyApi, loadEnvoyApi, loadOptionsOf } from '@flotilla/envoy-api';
import { compareVersions, type EnvoyDist, KNOWN_VERSIONS } from '@flotilla/envoy-dist';
import { type Logger, withDeadline } from '@flotilla/kit';
import { LRUCache } from 'lru-cache';
import type { ReleaseArchive } from './archive.ts';
import type { PreparedVersion } from './descriptor-store.ts';
import type { PreparedVersions } from './prepared-versions.ts';

/** The Envoy API of each proxy version. A version is loaded at its first use: most installations use one or two. */
export interface EnvoyApis {
  /** Throws version.unknown with the list of known versions, or version.unprepared if the archive has the version. */
  get(version: string): Promise<EnvoyApi>;
  /** The same without a download: for a version without a local binary, the API that ships with the controller. */
  getHere(version: string): Promise<EnvoyApi>;
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

export interface VersionSource {
  readonly source: DescriptorSource;
  /** Set if it was prepared. */
  readonly prepared?: PreparedVersion;
}

export interface EnvoyApisOptions {
  readonly dist: Pick<EnvoyDist, 'find' | 'list' | 'ensure'>;
  /** The versions that were prepared from the archive, by any controller. */
  readonly prepared: PreparedVersions;
  readonly archive: Pick<ReleaseArchive, 'find'>;
  /** The versions that this release of the controller knows. Default: `KNOWN_VERSIONS`. */
  readonly knownVersions?: readonly string[] | undefined;
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
  const { knownVersions = KNOWN_VERSIONS, dist, prepared, archive } = options;
  const loaded = new LRUCache<string, Loaded>({ max: LOADED_MAX });

  const sources = async (): Promise<ReadonlyMap<string, VersionSource>> => {
    const [installed, stored] = await Promise.all([dist.list(), prepared.list()]);
    return new Map<string, VersionSource>([
      ...knownVersions.map((version) => [version, { source: 'release' }] as const),
      ...installed.map(({ version }) => [version, { source: 'binary' }] as const),
      ...stored.map((one) => [one.version, { source: 'archive', prepared: one }] as const),
    ]);
  };

  const known = async (): Promise<string[]> => [...(await sources()).keys()].sort((a, b) => compareVersions(b, a));

  const requireKnown = async (version: string): Promise<void> => {
    const versions = await known();
    if (versions.includes(version)) return;
    if ((await archive.find(version)).ok) throw failDocument('version.unprepared', { version }, { extra: { version } });
    throw failDocument('version.unknown', { version, known: versions.join(', ') });
  };

  const load = async (version: string): Promise<EnvoyApi> => {
    await requireKnown(version);
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
    known,
    sources,
    get,
    async getHere(version) {
      await requireKnown(version);
      if ((await prepared.findDigest(version)) !== undefined || (await dist.find(version))) return get(version);
      // Not cached here: the first `get` of this version should download its binary.
      return loadEnvoyApi({ version, cacheDir: options.cacheDir });
    },
    async newest() {
      const installed = (await dist.list()).map(({ version }) => version);
      const [newest] = (installed.length > 0 ? installed : [...knownVersions]).toSorted((a, b) =>
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
