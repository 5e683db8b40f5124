import type { fleet } from '@flotilla/proto';
import type { ResourceSource } from '@flotilla/xds';

/** Who is at the other end, by its certificate. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly projectId: string;
}

/**
 * What the command stream needs of the fleet. Calls of one stream come one after the other, in the order of the wire. A
 * rejection ends the stream; the agent comes back and says everything again that was not acknowledged.
 */
export interface FleetPort {
  /** A stream stands and has said hello. An older one of the same client has been displaced before. */
  opened(client: ClientIdentity, hello: fleet.Hello): Promise<ClientSession>;
}

export interface ClientSession {
  readonly statsIntervalMs: number;
  desiredState(): Promise<fleet.DesiredState>;
  /** Commands without an outcome, oldest first; also those that an earlier stream has carried. */
  unfinishedCommands(): Promise<readonly fleet.Command[]>;
  /** The command has been given to the transport. */
  sent(commandId: string): Promise<void>;
  accepted(commandId: string): Promise<void>;
  progress(progress: fleet.CommandProgress): Promise<void>;
  /** Resolves once the outcome is stored: the agent is then told that it may forget it. */
  result(result: fleet.CommandResult): Promise<void>;
  nodeReport(report: fleet.NodeReport): Promise<void>;
  rolloutReport(report: fleet.RolloutReport): Promise<void>;
  hostStats(stats: fleet.HostStats): Promise<void>;
  shieldCounters(counters: fleet.ShieldCounters): Promise<void>;
  /** Resolves with true once the agent may forget these events; with false when it is to tell them again later. */
  shieldEvents(told: fleet.ShieldEvents): Promise<boolean>;
  /** Called once, whatever ended the stream. */
  closed(reason: string): Promise<void>;
}

/** What an ADS stream needs of the snapshots. */
export interface NodesPort {
  /** The source of this node, its snapshot made if need be. Undefined when it is no service of this client. */
  open(client: ClientIdentity, nodeId: string): Promise<ResourceSource | undefined>;
}
