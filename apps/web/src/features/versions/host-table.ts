import {
  type ArchiveMatch,
  type ArchiveRelease,
  type CommandResultRecord,
  type HostVersion,
  matchArchive,
  readHostVersions,
} from '@flotilla/contract';

export interface HostRow extends HostVersion {
  readonly clientId: string;
  readonly clientName: string;
  readonly match: ArchiveMatch;
}

export interface HostTable {
  readonly rows: readonly HostRow[];
  /** Hosts that did not answer with versions, with the reason if there is one. */
  readonly silent: readonly { readonly name: string; readonly reason: string | undefined }[];
}

/** Combines the answers of the hosts with the releases of the archive. */
export function toHostTable(
  results: readonly CommandResultRecord[],
  releases: readonly ArchiveRelease[] | undefined,
): HostTable {
  const answers = results.map((one) => ({
    id: one.client_id,
    name: one.client_name ?? one.client_id,
    versions: one.outcome === 'done' ? readHostVersions(one.result) : undefined,
    reason: one.error?.message,
  }));
  return {
    rows: answers.flatMap(({ id, name, versions = [] }) =>
      versions.map((version) => ({
        ...version,
        clientId: id,
        clientName: name,
        match: matchArchive(version, releases),
      })),
    ),
    silent: answers.flatMap(({ name, versions, reason }) => (versions ? [] : [{ name, reason }])),
  };
}

export function countHosts(rows: readonly HostRow[], version: string): { readonly have: number; readonly use: number } {
  const having = rows.filter((one) => one.version === version);
  const idsOf = (some: readonly HostRow[]) => new Set(some.map(({ clientId }) => clientId)).size;
  return { have: idsOf(having), use: idsOf(having.filter(({ usedBy }) => usedBy.length > 0)) };
}
