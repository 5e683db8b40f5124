import type { Result } from '@flotilla/kit';
import type { HealthSeverity } from '@flotilla/proto/commands';
import type { BundleRecord } from './support-bundle/bundle-folder.ts';

/** Why a command about a bundle is refused. The message is for people. */
export interface BundleProblem {
  readonly code:
    | 'bundle.running'
    | 'bundle.disk_full'
    | 'bundle.unknown'
    | 'bundle.not_ready'
    | 'bundle.failed'
    | 'bundle.expired'
    | 'bundle.offset'
    | 'bundle.damaged';
  readonly message: string;
}

export interface BundleChunk {
  readonly bundle: BundleRecord;
  readonly data: Buffer;
  readonly offset: number;
  /** Nothing follows. */
  readonly isLast: boolean;
}

/** The support bundles of this host. */
export interface BundleControl {
  /** The newest first. */
  list(): Promise<readonly BundleRecord[]>;
  /**
   * Starts to create a bundle and returns. The same id again returns the same bundle. Refused while another one is created, or
   * if the disk has too little space.
   */
  create(id: string): Promise<Result<BundleRecord, BundleProblem>>;
  /** At most `length` bytes from `offset` of a READY bundle. At the end of the file, the chunk is empty. */
  read(id: string, range: { offset: number; length: number }): Promise<Result<BundleChunk, BundleProblem>>;
  /** Resolves to false if there was no such bundle. A bundle that is being created is not deleted. */
  remove(id: string): Promise<Result<boolean, BundleProblem>>;
}

export interface HealthItem {
  readonly area: string;
  readonly severity: HealthSeverity;
  readonly message: string;
}

/** A fact, and where it was read. */
export interface ComplianceItem {
  readonly check: string;
  readonly ok: boolean;
  readonly value: string;
  readonly source: string;
}

/** A block that this host does not have, and the reason. */
export interface Unavailable {
  readonly block: string;
  readonly reason: string;
}

export interface Appliance {
  /** The blocks of the status, in the form of the result of the command. Never rejects, unless `signal` aborts. */
  status(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  readonly bundles: BundleControl;
}
