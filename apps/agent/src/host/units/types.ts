import type { ProcessRef } from '@flotilla/kit';
import type { ServiceIdentity } from '../identity.ts';

type UnitKind = 'envoy' | 'shield';

/** One program of one service. `name` is unique within the service and never used twice (`envoy-7`). */
export interface UnitSpec {
  readonly serviceId: string;
  readonly serviceKey: string;
  readonly name: string;
  readonly kind: UnitKind;
  /** The program and its arguments; the program by absolute path. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: as the agent itself. */
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  /** Standard output and error are appended here. */
  readonly logFile: string;
  /** Folders that the program may write; everything else may be shut to it. */
  readonly writableDirs: readonly string[];
}

export interface UnitRef {
  readonly serviceKey: string;
  readonly name: string;
}

export type UnitEvent =
  /** Gone, and nobody but the agent brings it back. */
  | { readonly type: 'exited'; readonly unit: UnitRef }
  /** The init system has brought it back under a new process number. */
  | { readonly type: 'restarted'; readonly unit: UnitRef; readonly process: ProcessRef };

/**
 * Runs programs that outlive the agent. Both backends keep to this:
 * a started unit lives on when the agent dies, is found again by `list` after the agent's restart, and is reported once
 * when it exits. All calls for one service are made one after the other.
 */
export interface UnitRunner {
  readonly kind: 'supervisor' | 'systemd';
  /** Resolves once the program has been started; it may exit right after. Throws when it cannot be started at all. */
  start(spec: UnitSpec): Promise<ProcessRef>;
  /** What runs now of this service, also what an earlier agent started. */
  list(serviceKey: string): Promise<ReadonlyMap<string, ProcessRef>>;
  /** The process of a unit that runs. */
  find(unit: UnitRef): ProcessRef | undefined;
  /** From now on nobody restarts it: it is about to hand over and end by itself. */
  retire(unit: UnitRef): Promise<void>;
  /** Ends it (SIGTERM, SIGKILL after `graceMs`) and forgets it; also right for a unit that is gone. */
  stop(unit: UnitRef, graceMs: number): Promise<void>;
  /** Removes what the backend keeps for a service as a whole. */
  removeService(serviceKey: string): Promise<void>;
  onEvent(listener: (event: UnitEvent) => void): () => void;
  /** Stops watching; units run on. */
  close(): Promise<void>;
}
