import type { ReleaseStore } from '@flotilla/envoy-dist';
import type { Clock, Logger, ProcessRef } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { Capability } from '@flotilla/proto/commands';
import type { Appliance } from '../appliance/index.ts';
import type { HaControl } from '../ha/index.ts';
import type { ForwarderControl, ForwarderKey } from '../log-forwarding/index.ts';
import type { LogTarget } from '../logs/read-logs.ts';
import type { RoutingPaths } from '../routing/frr-paths.ts';
import type { RoutingSuite } from '../routing/routing-suite.ts';
import type { ServiceIdentity } from './identity.ts';
import type { ServiceSocket } from './service-socket.ts';
import type { BundleFiles } from './shield/bundle-files.ts';
import type { HostVersions } from './versions/types.ts';
import type { VersionSource } from './versions/version-stores.ts';

export type ControlAction = 'restart' | 'reload' | 'status' | 'logs';

export interface ControlOptions {
  /** `logs` returns this many lines of each program: 100 by default, at most 5,000. */
  readonly lines?: number;
  readonly signal?: AbortSignal;
}

/**
 * Result of a SERVICE command. If `ok` is false, `error` is the reason to show. `report` is absent for a service that is not
 * on this host.
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
  /** User whose programs may connect to sockets in the runtime folder. The mode of the folder excludes other users. */
  readonly identity: ServiceIdentity | undefined;
  /** Returns true for the secret of an Envoy that the agent has started for this service and that may be running. */
  readonly knowsSecret: (secret: string) => boolean;
}

export interface ServiceHostOptions {
  readonly dirs: { readonly runtimeDir: string; readonly dataDir: string };
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Command that runs `flotilla`, with absolute paths: `[node, '/x/flotilla.mjs']`. */
  readonly flotillaCommand: readonly string[];
  /** `auto` uses systemd if it is process 1 and the agent is root, and otherwise the supervisor. */
  readonly mode?: 'auto' | 'supervisor' | 'systemd';
  readonly envoyDist: VersionSource;
  /** The WAF modules of this host. */
  readonly modules: ReleaseStore;
  /** The most bytes of all installed versions; 4 GiB by default. */
  readonly versionQuotaBytes?: number;
  /** True if the Envoys are in a folder that other programs use, too. The agent then removes none. */
  readonly sharesEnvoys?: boolean;
  /**
   * How an Envoy is replaced. `auto` uses hot restart if both Envoys support the same version of it, and otherwise runs
   * them side by side.
   */
  readonly replacement?: 'auto' | 'beside';
  /** In seconds. The defaults are 10 and 15. */
  readonly drain?: { readonly drainS: number; readonly shutdownS: number };
  /** Time in which a started Envoy must become live; otherwise the start has failed. 60 s by default. */
  readonly liveTimeoutMs?: number;
  /** Runs a second filter for each protected service; true by default. */
  readonly hasWarmFilter?: boolean;
  /** Log files larger than this are rotated. The default is 50 MiB. */
  readonly logLimitBytes?: number;
  /** Reported in HostFacts. */
  readonly name?: string;
  readonly agentVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Reads the journal, `['journalctl']` by default. Only tests set this. */
  readonly journalCommand?: readonly string[];
  /** Where FRR is; in the places of its packages by default. */
  readonly frr?: RoutingPaths;
  /** Contains `etc` of the host; `/` by default. */
  readonly root?: string;
  /** How long support bundles are kept, and how often they are looked at. Only tests set this. */
  readonly supportBundles?: { readonly keptMs?: number; readonly checkMs?: number };
  /** How often forwarders of logs are compared with their state. Only tests set this. */
  readonly forwarderCheckMs?: number;
  /** The sources of the addresses for the heartbeats of a pair. */
  readonly ha?: {
    /** Name or address of the controller. */
    readonly controller?: string;
    /** Addresses that the operator has named. */
    readonly data?: string | undefined;
    readonly mgmt?: string | undefined;
  };
  /** Looks for the cloud provider, with requests to the link-local metadata address; false by default. */
  readonly detectsCloud?: boolean;
}

/** A running Envoy of a service. */
export interface EnvoyHandle {
  readonly serviceId: string;
  readonly admin: ServiceSocket;
  readonly process: ProcessRef;
  /** False for an Envoy that another one has replaced. Its admin endpoint may be closed. */
  readonly isServing: boolean;
  /** Monotonic time at which this agent started it. Undefined if an earlier agent or the init system did. */
  readonly startedMs: number | undefined;
}

/** Names a log of the host. */
export type LogRequest =
  | { readonly of: 'agent' | 'host' | 'routing' | ForwarderKey }
  | { readonly of: 'service'; readonly serviceId: string; readonly logType: string };

/** The host part of the agent: runs the services. See README.md. */
export interface ServiceHost {
  /** Replaces the desired state and converges in the background. An equal state has no effect. Never throws. */
  setDesired(state: fleet.DesiredState): void;
  /** This host is in no pair any more. Its services stay. */
  leavePair(): void;
  /**
   * Resolves when the service has reached this generation or a later one, has failed or is gone. `report.error` then
   * explains a failure. Rejects only when `signal` aborts.
   */
  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport>;
  control(serviceId: string, action: ControlAction, options?: ControlOptions): Promise<ControlResult>;
  /** Undefined: the service is not on this host. */
  logTarget(request: LogRequest): LogTarget | undefined;
  reports(): fleet.NodeReport[];
  onReport(listener: (report: fleet.NodeReport) => void): () => void;
  /** Admin socket of the Envoy in charge. */
  adminSocket(serviceId: string): ServiceSocket | undefined;
  /** Returns the Envoys that are in charge or drain, of all services. */
  envoys(): EnvoyHandle[];
  /** Sets the listeners that the reports of a service contain as long as this process of Envoy is in charge. */
  showListeners(serviceId: string, pid: number, listeners: readonly fleet.ListenerState[]): void;
  /**
   * Adds a listener that completes before the first Envoy of a service starts, also after a restart of the agent. If it rejects,
   * the start is delayed.
   */
  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void;
  /** Adds a listener that completes after the programs of a service have ended and before its folders are removed. */
  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void;
  /** Returns the facts that are known now; see `factsKnown`. */
  hostFacts(): fleet.HostFacts;
  /** Resolves when the agent has looked at the host once. Never rejects. */
  factsKnown(): Promise<void>;
  /** Adds a listener for changed facts. */
  onFacts(listener: () => void): () => void;
  /** Explains what the host lacks for the capability. Undefined if it has it, or if the agent has not looked yet. */
  lacks(capability: Capability): string | undefined;
  hostStats(): Promise<fleet.HostStats>;
  /** Returns the newest `count` results of `hostStats`, at most 1,000, without processes. The oldest is first. */
  recentHostStats(count: number): readonly fleet.HostStats[];
  /** The files of the policies that the filter of a service runs. Rejects if they cannot be read. */
  policyFiles(serviceId: string): Promise<BundleFiles>;
  /** Returns the counters of the running filters and of those that ended since the last call. Never rejects. */
  shieldCounters(): Promise<fleet.ShieldCounters[]>;
  /**
   * Returns some of the findings since the last call; the next calls return the rest. Skips services for which `isFull` returns
   * true. Never rejects.
   */
  shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]>;
  /** Reads the health of the filters. The reports of the services contain changes. Never rejects. */
  checkFilters(): Promise<void>;
  /** The versions of Envoy and of the WAF module on this host. */
  readonly versions: HostVersions;
  /** FRR. Rejects if the data folder cannot be read. */
  routing(): Promise<RoutingSuite>;
  /** The programs that forward logs. */
  readonly logForwarding: Readonly<Record<ForwarderKey, ForwarderControl>>;
  /** This host as a member of a pair. */
  readonly ha: HaControl;
  /** Describes the host and creates support bundles. */
  readonly appliance: Appliance;
  /** Resolves when all work has stopped. The services keep running unless `stopServices` is true. */
  close(options: { readonly stopServices: boolean }): Promise<void>;
}
