import type { InstallStep, ReleaseProblem } from '@flotilla/envoy-dist';
import type { Result } from '@flotilla/kit';

/** Envoy, or the WAF module `coraza.wasm`. */
export type VersionKind = 'envoy' | 'waf';

export interface InstalledVersion {
  readonly version: string;
  readonly path: string;
  /** `env` and `path` come with the host, and the agent does not remove them. */
  readonly source: 'env' | 'path' | 'cache';
  readonly sha256: string;
  /** Undefined for versions that come with the host. */
  readonly bytes: number | undefined;
  /** Identifies the request that has installed it; empty if it had none. */
  readonly installedBy: string;
  /** The users, for people. Empty: nothing does. */
  readonly usedBy: readonly string[];
}

/** The download for this host, as the controller has read it in the archive's index, or why there is none. */
export type ArchiveOffer = { readonly url: string; readonly sha256: string } | { readonly missing: string };

export interface InstallRequest {
  readonly kind: VersionKind;
  readonly version: string;
  /** Downloads and replaces a version that is already there. */
  readonly force?: boolean;
  /** Undefined: no archive is configured, so Envoy comes from its release page. */
  readonly offer: ArchiveOffer | undefined;
  /** Identifies the request: one that has installed the version is not repeated. */
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: InstallStep, text: string) => void;
}

/** Why a version is not installed or not removed. The host is as before. */
export interface VersionProblem {
  readonly code: ReleaseProblem['code'] | 'not_listed' | 'unavailable' | 'in_use' | 'not_removable' | 'shared';
  readonly message: string;
}

export interface InstallOutcome {
  readonly installed: InstalledVersion;
  /** Unused versions that were removed to make room. */
  readonly removed: readonly string[];
}

/** The versions on this host. */
export interface HostVersions {
  list(kind: VersionKind): Promise<InstalledVersion[]>;
  /** Never leaves a partial version, and never changes one that works unless `force` is set and its successor is complete. */
  install(request: InstallRequest): Promise<Result<InstallOutcome, VersionProblem>>;
  /** Resolves to false if the version was not there. */
  remove(kind: VersionKind, version: string): Promise<Result<boolean, VersionProblem>>;
}
