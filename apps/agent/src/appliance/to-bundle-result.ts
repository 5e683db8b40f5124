import type { BundleRecord } from './support-bundle/bundle-folder.ts';

/** A bundle in the form of results of commands. */
export function toBundleResult(bundle: BundleRecord) {
  return {
    artifact_id: bundle.id,
    kind: 'SUPPORT_BUNDLE' as const,
    state: bundle.state,
    created_at: bundle.createdAt,
    finished_at: bundle.finishedAt,
    expires_at: bundle.state === 'READY' ? bundle.expiresAt : null,
    size_bytes: bundle.state === 'READY' ? bundle.bytes : null,
    sha256: bundle.state === 'READY' ? bundle.sha256 : null,
    reason: bundle.reason,
    progress: bundle.state === 'RUNNING' ? bundle.progress : null,
  };
}
