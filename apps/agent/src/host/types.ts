import type { EnvoyDist } from '@flotilla/envoy-dist';
import type { Clock, Logger } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from './identity.ts';
import type { ServiceSocket } from './service-socket.ts';

export type ControlAction = 'restart' | 'reload' | 'status' | 'logs';

export interface ControlOptions {
  /** `logs` returns this many lines of each program: 100 by default, at most 5,000. */
  readonly lines?: number;
  readonly signal?: AbortSignal;
}

/**
 * Answer to a SERVICE command. `ok: false` comes with a reason to show. `report` is absent for a service that is not on
 * this host.
 */
export interface ControlResult {
  readonly ok: boolean;
  readonly error?: string;
  readonly report?: fleet.NodeReport;
  /** Running programs, for `status`. */
  readonly units?: ReadonlyArray<{ name: string; kind: string; pid: number; role: string; version: string }>;
  /** Last lines of each program, for `logs`. */
  readonly logs?: Readonly<Record<string, readonly string[]>>;
}

/** A service whose folders are ready and whose Envoy is about to be started. */
export interface PreparedService {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly layout: ServiceLayout;
  /** User whose programs may connect to sockets in the runtime folder. The permissions of the folder keep others out. */
  readonly identity: ServiceIdentity | undefined;
  /** True for the secret of an Envoy that the agent has started for this service and that may be running. */
  readonly knowsSecret: (secret: string) => boolean;
}

export interface ServiceHostOptions {
  readonly dirs: { readonly runtimeDir: string; readonly dataDir: string };
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Runs `flotilla`: `[node, '/x/flotilla.mjs']`. Paths absolute. */
  readonly flotillaCommand: readonly string[];
  /** `auto`: systemd where it is process 1 and we are root, else our own supervisor. */
  readonly mode?: 'auto' | 'supervisor' | 'systemd';
  readonly envoyDist: Pick<EnvoyDist, 'ensure' | 'installFromCatalogEntry' | 'list'>;
  /**
   * How an Envoy is replaced. `auto` uses hot restart if both Envoys support the same version of it, and otherwise runs
   * them side by side.
   */
  readonly replacement?: 'auto' | 'beside';
  /** In seconds. The defaults are 10 and 15. */
  readonly drain?: { readonly drainS: number; readonly shutdownS: number };
  /** How long a started Envoy may take to become live before that is reported as a failure; 60 s by default. */
  readonly liveTimeoutMs?: number;
  /** Whether a second filter stands by for each guarded service; true by default. */
  readonly hasWarmFilter?: boolean;
  /** Log files are cut when they are larger than this. The default is 50 MiB. */
  readonly logLimitBytes?: number;
  /** Reported in HostFacts. */
  readonly name?: string;
  readonly agentVersion?: string;
}

export interface InstalledVersion {
  readonly version: string;
  readonly path: string;
  readonly source: string;
}

/** Actions of the agent on its host. See README.md. */
export interface ServiceHost {
  /** Replaces the desired state and converges in the background. The same state again changes nothing. Never throws. */
  setDesired(state: fleet.DesiredState): void;
  /**
   * Resolves when the service has reached this generation or a later one, has failed, or is gone. `report.error` then
   * explains a failure. Rejects only when `signal` aborts.
   */
  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport>;
  control(serviceId: string, action: ControlAction, options?: ControlOptions): Promise<ControlResult>;
  reports(): fleet.NodeReport[];
  onReport(listener: (report: fleet.NodeReport) => void): () => void;
  /** Admin socket of the Envoy in charge. */
  adminSocket(serviceId: string): ServiceSocket | undefined;
  /**
   * Runs to its end before the first Envoy of a service starts and after every restart of the agent. A throw delays the
   * start.
   */
  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void;
  /** Runs to its end after a service's programs have ended and before its folders are removed. */
  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void;
  hostFacts(): fleet.HostFacts;
  hostStats(): Promise<fleet.HostStats>;
  /** Returns the counters of the running filters and of those that ended since the last call. Never rejects. */
  shieldCounters(): Promise<fleet.ShieldCounters[]>;
  /**
   * Returns some of the findings since the last call. The rest comes with the next calls. Services that `isFull` are
   * not asked. Never rejects.
   */
  shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]>;
  /** Asks the filters for their health. Changes are reported with their services. Never rejects. */
  checkFilters(): Promise<void>;
  installVersion(
    version: string,
    catalogEntry?: { readonly url: string; readonly sha256: string },
  ): Promise<{ ok: true; value: InstalledVersion } | { ok: false; error: string }>;
  versions(): Promise<InstalledVersion[]>;
  /** Resolves when the agent has stopped all its work here. Services keep running unless the caller asks otherwise. */
  close(options: { readonly stopServices: boolean }): Promise<void>;
}
