import type { ProcessRef } from '@flotilla/kit';
import type { ServiceIdentity } from '../identity.ts';

type UnitKind = 'envoy' | 'shield' | 'forwarder' | 'ha';

/** One program of one service. `name` is unique within the service and is never reused (`envoy-7`). */
export interface UnitSpec {
  readonly serviceId: string;
  readonly serviceKey: string;
  readonly name: string;
  readonly kind: UnitKind;
  /** The absolute path of the program, and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Undefined means the agent's own user. */
  readonly identity: ServiceIdentity | undefined;
  readonly workDir: string;
  /** Standard output and standard error are appended to this file. */
  readonly logFile: string;
  /** Folders that the program may write to. All others may be read-only or hidden. */
  readonly writableDirs: readonly string[];
}

export interface UnitRef {
  readonly serviceKey: string;
  readonly name: string;
}

export type UnitEvent =
  /** The program is gone, and only the agent restarts it. */
  | { readonly type: 'exited'; readonly unit: UnitRef }
  /** The init system has restarted the program with a new process id. */
  | { readonly type: 'restarted'; readonly unit: UnitRef; readonly process: ProcessRef };

/**
 * Runs programs that outlive the agent. With every backend, a started unit keeps running when the agent dies, `list` finds it
 * after a restart of the agent, and its exit is reported once. Callers must not make overlapping calls for one service.
 */
export interface UnitRunner {
  readonly kind: 'supervisor' | 'systemd';
  /** Resolves when the program has been started. It may exit at once. Rejects if it cannot be started. */
  start(spec: UnitSpec): Promise<ProcessRef>;
  /**
   * Returns the running units of this service, including those that an earlier agent started. A process of another user
   * never counts as a unit.
   */
  list(serviceKey: string, identity: ServiceIdentity | undefined): Promise<ReadonlyMap<string, ProcessRef>>;
  /** Returns the process of a running unit. */
  find(unit: UnitRef): ProcessRef | undefined;
  /** Excludes the unit from restarts, because it is about to hand over and end on its own. */
  retire(unit: UnitRef): Promise<void>;
  /** Ends the unit (SIGTERM, then SIGKILL after `graceMs`) and removes it. The unit may have ended already. */
  stop(unit: UnitRef, graceMs: number): Promise<void>;
  /**
   * Ends the remaining processes that the units of a service have started, as far as the backend can find them. The units must
   * have been stopped.
   */
  endStrays(serviceKey: string, identity: ServiceIdentity | undefined): Promise<void>;
  /** Deletes everything that the backend stores for the whole service. */
  removeService(serviceKey: string): Promise<void>;
  onEvent(listener: (event: UnitEvent) => void): () => void;
  /** Stops polling. Units keep running. */
  close(): Promise<void>;
}
