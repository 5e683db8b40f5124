import { type DescriptorSource, failDocument } from '@flotilla/contract';
import { compareVersions, type EnvoyDist, KNOWN_VERSIONS } from '@flotilla/envoy-dist';
import type { ReleaseArchive } from './archive.ts';
import type { PreparedVersion } from './descriptor-store.ts';
import type { PreparedVersions } from './prepared-versions.ts';

/** Where the descriptors of a version come from. */
export interface VersionSource {
  readonly source: DescriptorSource;
  /** Set if it was prepared. */
  readonly prepared?: PreparedVersion;
}

export interface VersionListOptions {
  readonly dist: Pick<EnvoyDist, 'list'>;
  /** The versions that were prepared from the archive, by any controller. */
  readonly prepared: PreparedVersions;
  readonly archive: Pick<ReleaseArchive, 'find'>;
  /** The versions that this release of the controller knows. Default: `KNOWN_VERSIONS`. */
  readonly knownVersions?: readonly string[] | undefined;
}

/** The versions for which documents can be checked: of this release, installed here, or prepared. */
export function createVersionList({ dist, prepared, archive, knownVersions = KNOWN_VERSIONS }: VersionListOptions) {
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

  const newest = async (): Promise<string> => {
    const installed = (await dist.list()).map(({ version }) => version);
    const candidates = installed.length > 0 ? installed : knownVersions;
    const [first] = candidates.toSorted((a, b) => compareVersions(b, a));
    if (first === undefined) throw new Error('no proxy version is known');
    return first;
  };

  return { sources, known, requireKnown, newest };
}
