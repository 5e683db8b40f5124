import type { EnvoyDist } from '@flotilla/envoy-dist';
import type { Clock, Logger } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from './identity.ts';

export type ControlAction = 'restart' | 'reload' | 'status' | 'logs';

export interface ControlOptions {
  /** `logs`: how many lines of each program, 100 by default, at most 5,000. */
  readonly lines?: number;
  readonly signal?: AbortSignal;
}

/** Answer to a SERVICE command. `ok: false` carries a reason to show; `report` is absent for a service that is not here. */
export interface ControlResult {
  readonly ok: boolean;
  readonly error?: string;
  readonly report?: fleet.NodeReport;
  /** `status`: what runs. */
  readonly units?: ReadonlyArray<{ name: string; kind: string; pid: number; role: string; version: string }>;
  /** `logs`: last lines per program. */
  readonly logs?: Readonly<Record<string, readonly string[]>>;
}

/** A service whose folders are ready and whose Envoy is about to be started. */
export interface PreparedService {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly layout: ServiceLayout;
  /** Owner of the runtime folder; a socket made there must be connectable by it (the folder itself keeps others out). */
  readonly identity: ServiceIdentity | undefined;
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
  /** How an Envoy is replaced. `auto`: hot restart where both speak the same version of it, else side by side. */
  readonly replacement?: 'auto' | 'beside';
  /** Seconds; 10 and 15 by default. */
  readonly drain?: { readonly drainS: number; readonly shutdownS: number };
  /** How long a started Envoy may take to become live before that is reported as a failure; 60 s by default. */
  readonly liveTimeoutMs?: number;
  /** Log files are cut when they pass this; 50 MiB by default. */
  readonly logLimitBytes?: number;
  /** Named in HostFacts. */
  readonly name?: string;
  readonly agentVersion?: string;
}

export interface InstalledVersion {
  readonly version: string;
  readonly path: string;
  readonly source: string;
}

/** What the agent does on its host: see README.md. */
export interface ServiceHost {
  /** Replaces the desired state and converges in the background. The same state again changes nothing. Never throws. */
  setDesired(state: fleet.DesiredState): void;
  /**
   * Resolves when the service has reached this generation or a later one, has failed to, or is gone. `report.error` says why
   * when it has not. Rejects only when `signal` aborts.
   */
  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport>;
  control(serviceId: string, action: ControlAction, options?: ControlOptions): Promise<ControlResult>;
  reports(): fleet.NodeReport[];
  onReport(listener: (report: fleet.NodeReport) => void): () => void;
  /** Admin socket of the Envoy in charge. */
  adminSocket(serviceId: string): string | undefined;
  /** Awaited before the first Envoy of a service is started and after every restart of the agent; a throw delays the start. */
  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void;
  /** Awaited after a service's programs have ended and before its folders go. */
  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void;
  hostFacts(): fleet.HostFacts;
  hostStats(): Promise<fleet.HostStats>;
  /** What the filters that run have counted, and what those have that were ended since the last call. Never rejects. */
  shieldCounters(): Promise<fleet.ShieldCounters[]>;
  /**
   * What they have found since the last call, some of it: the rest comes with the next calls. Services that `isFull` are
   * not asked. Never rejects.
   */
  shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]>;
  /** Asks the filters how they are; what is new is reported with their services. Never rejects. */
  checkFilters(): Promise<void>;
  installVersion(
    version: string,
    catalogEntry?: { readonly url: string; readonly sha256: string },
  ): Promise<{ ok: true; value: InstalledVersion } | { ok: false; error: string }>;
  versions(): Promise<InstalledVersion[]>;
  /** Resolves when nothing of the agent works here any more. Services run on unless told otherwise. */
  close(options: { readonly stopServices: boolean }): Promise<void>;
}
