import type { InstallAttempt, InstallProgress } from './types.ts';

/** What a source needs to fetch one exact version into `stage`. */
export interface FetchRequest {
  readonly version: string;
  /** `linux-x64`, `linux-arm64`. */
  readonly machine: string;
  /** A folder of this install alone; it is removed afterwards. */
  readonly stage: string;
  readonly onProgress: (progress: Omit<InstallProgress, 'version'>) => void;
}

export interface Fetched {
  readonly path: string;
  readonly sha256: string;
  /** Where it came from, for `meta.json`. */
  readonly origin: string;
}

/** A source that could not give the binary; `mismatch` when it gave a wrong one. */
export interface FetchFailure extends InstallAttempt {
  readonly mismatch: boolean;
}

export function fetchFailure(attempt: InstallAttempt, mismatch = false): FetchFailure {
  return { ...attempt, mismatch };
}
