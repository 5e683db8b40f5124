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
  /** Undefined means the agent's own user. */
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  /** Standard output and error are appended here. */
  readonly logFile: string;
  /** Folders that the program may write. All others may be read-only or hidden for it. */
  readonly writableDirs: readonly string[];
}

export interface UnitRef {
  readonly serviceKey: string;
  readonly name: string;
}

export type UnitEvent =
  /** The program is gone, and only the agent restarts it. */
  | { readonly type: 'exited'; readonly unit: UnitRef }
  /** The init system has restarted the program with a new process number. */
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
  /**
   * Returns the running units of this service, including those that an earlier agent started. A process of another user
   * never counts as a unit.
   */
  list(serviceKey: string, identity: ServiceIdentity | undefined): Promise<ReadonlyMap<string, ProcessRef>>;
  /** The process of a unit that runs. */
  find(unit: UnitRef): ProcessRef | undefined;
  /** From now on nothing restarts the unit, because it is about to hand over and end by itself. */
  retire(unit: UnitRef): Promise<void>;
  /** Ends the unit (SIGTERM, then SIGKILL after `graceMs`) and forgets it. Also works for a unit that is gone. */
  stop(unit: UnitRef, graceMs: number): Promise<void>;
  /**
   * Ends other processes that the units of a service have started, as far as the backend knows them. The units must
   * have been stopped.
   */
  endStrays(serviceKey: string, identity: ServiceIdentity | undefined): Promise<void>;
  /** Removes everything that the backend keeps for the whole service. */
  removeService(serviceKey: string): Promise<void>;
  onEvent(listener: (event: UnitEvent) => void): () => void;
  /** Stops watching. Units keep running. */
  close(): Promise<void>;
}
