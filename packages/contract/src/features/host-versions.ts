import type { ArchiveRelease } from './versions.ts';

/*
 * Readers of the answers to GET_VERSIONS, SET_VERSION and REMOVE_VERSION. The answer comes from a host that may be compromised or
 * run another agent: what has another shape is left out.
 */

export interface HostVersion {
  readonly version: string;
  /** `cache` if the agent has installed it; others come with the host. */
  readonly source: string;
  readonly path: string;
  /** Undefined from an older agent. */
  readonly sha256: string | undefined;
  readonly bytes: number | undefined;
  /** The users, such as `service shop`. */
  readonly usedBy: readonly string[];
}

/** The versions on a host. Undefined: the answer has another form. */
export function readHostVersions(result: unknown): readonly HostVersion[] | undefined {
  const { installed } = asRecord(result);
  if (!Array.isArray(installed)) return undefined;
  return installed.flatMap((entry: unknown): HostVersion[] => {
    const { version, source, path, sha256, bytes, used_by: users } = asRecord(entry);
    if (typeof version !== 'string' || typeof source !== 'string' || typeof path !== 'string') return [];
    return [
      {
        version,
        source,
        path,
        sha256: typeof sha256 === 'string' ? sha256 : undefined,
        bytes: typeof bytes === 'number' ? bytes : undefined,
        usedBy: Array.isArray(users) ? users.filter((one) => typeof one === 'string') : [],
      },
    ];
  });
}

/** Returns the outcome of a command on the host, such as `version_installed`. */
export function readVersionAction(result: unknown): string | undefined {
  const { action } = asRecord(asRecord(result).operation_summary);
  return typeof action === 'string' ? action : undefined;
}

/** unlisted: the archive does not have the version. unknown: there is nothing to compare. */
export type ArchiveMatch = 'same' | 'differs' | 'unlisted' | 'unknown';

/** Compares a file on a host with the archive. */
export function matchArchive(
  { version, sha256 }: Pick<HostVersion, 'version' | 'sha256'>,
  releases: readonly ArchiveRelease[] | undefined,
): ArchiveMatch {
  if (!releases) return 'unknown';
  const release = releases.find((one) => one.version === version);
  if (!release) return 'unlisted';
  if (sha256 === undefined) return 'unknown';
  return release.binaries.some((one) => one.sha256 === sha256) ? 'same' : 'differs';
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
