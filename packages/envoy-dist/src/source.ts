import type { InstallAttempt, InstallProgress } from './types.ts';

/** The input with which a source downloads one exact version into `stage`. */
export interface FetchRequest {
  readonly version: string;
  /** `linux-x64`, `linux-arm64`. */
  readonly machine: string;
  /** A private folder for this install, deleted afterwards. */
  readonly stage: string;
  readonly onProgress: (progress: Omit<InstallProgress, 'version'>) => void;
}

export interface Fetched {
  readonly path: string;
  readonly sha256: string;
  /** Its origin, for `meta.json`. */
  readonly origin: string;
}

/** A source that did not provide the binary; `mismatch` if it provided a wrong one. */
export interface FetchFailure extends InstallAttempt {
  readonly mismatch: boolean;
}

export function fetchFailure(attempt: InstallAttempt, mismatch = false): FetchFailure {
  return { ...attempt, mismatch };
}
