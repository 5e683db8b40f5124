import type { ArchiveRelease, CallOutput, versionRoutes } from '@flotilla/contract';
import { isOver } from '../jobs/index.ts';

export type ProxyVersions = CallOutput<typeof versionRoutes.list>;

/**
 * Whether documents of a release can be written.
 * prepared    with the descriptors of this release
 * other_file  with those of another binary of the version, which the archive had before
 * known       the controller has descriptors of its own
 * preparing   a job reads them
 * failed      the last job has failed, and nothing else knows the version
 * unknown     nothing knows the version yet
 */
export type DocumentsState =
  | { readonly kind: 'prepared' | 'other_file' | 'known' | 'unknown' }
  | { readonly kind: 'preparing'; readonly job: number }
  | { readonly kind: 'failed'; readonly job: number; readonly reason: string };

export function describeDocuments(
  { version, binaries }: ArchiveRelease,
  { items, preparations }: ProxyVersions,
): DocumentsState {
  const last = preparations.find((one) => one.version === version);
  if (last && !isOver(last.status)) return { kind: 'preparing', job: last.job.number };
  const item = items.find((one) => one.version === version);
  if (item?.descriptors === 'archive')
    return { kind: binaries.some(({ sha256 }) => sha256 === item.sha256) ? 'prepared' : 'other_file' };
  if (last?.error) return { kind: 'failed', job: last.job.number, reason: last.error.message };
  return { kind: item?.descriptors ? 'known' : 'unknown' };
}
