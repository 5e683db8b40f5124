import type { fleet } from '@flotilla/proto';
import type { ResourceSource } from '@flotilla/xds';

/** The peer's identity from its certificate. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly projectId: string;
}

/**
 * The part of the fleet that the command stream uses. Calls of one stream are made one after the other, in the order of
 * the wire. A rejection ends the stream; the agent reconnects and repeats everything unacknowledged.
 */
export interface FleetPort {
  /** A stream has sent Hello. An older stream of the same client has already ended. */
  opened(client: ClientIdentity, hello: fleet.Hello): Promise<ClientSession>;
}

export interface ClientSession {
  readonly statsIntervalMs: number;
  desiredState(): Promise<fleet.DesiredState>;
  /** Commands without an outcome, oldest first, including those that an earlier stream has sent. */
  unfinishedCommands(): Promise<readonly fleet.Command[]>;
  /** The command was passed to the transport. */
  sent(commandId: string): Promise<void>;
  accepted(commandId: string): Promise<void>;
  progress(progress: fleet.CommandProgress): Promise<void>;
  /** Resolves once the outcome is stored; the agent may then forget it. */
  result(result: fleet.CommandResult): Promise<void>;
  nodeReport(report: fleet.NodeReport): Promise<void>;
  rolloutReport(report: fleet.RolloutReport): Promise<void>;
  hostStats(stats: fleet.HostStats): Promise<void>;
  /** The facts of the host have changed since Hello. */
  facts(facts: fleet.HostFacts): Promise<void>;
  /** Resolves after storing with the number of the last completed minute; undefined if none is complete. */
  shieldCounters(counters: fleet.ShieldCounters): Promise<bigint | undefined>;
  /** Resolves to true if the agent may forget these events, and to false if it must send them again later. */
  shieldEvents(events: fleet.ShieldEvents): Promise<boolean>;
  /** Resolves after storing with the number of the last interval that the agent may forget; undefined: send it again. */
  trafficReport(report: fleet.TrafficReport): Promise<bigint | undefined>;
  /** The report of a member of a pair. */
  haReport(report: fleet.HaReport): Promise<void>;
  /** Called once, whatever ended the stream. */
  closed(reason: string): Promise<void>;
}

/** The part of the snapshots that an ADS stream uses. */
export interface NodesPort {
  /** The source of this node, whose snapshot is built if necessary. undefined if it is not a service of this client. */
  open(client: ClientIdentity, nodeId: string): Promise<ResourceSource | undefined>;
}

/** Stored or thrown away for good: the agent may forget the batch. Otherwise the agent sends it again after `retryMs`. */
export type LogAnswer = { readonly stored: true } | { readonly retryMs: number };

/** The part of the collector that the log streams use. */
export interface LogsPort {
  /**
   * Called for several batches of a client at the same time, in the order of the wire. The payload belongs to the callee, which may
   * transfer its bytes. A rejection is answered like a wish to get the batch again.
   */
  push(client: ClientIdentity, batch: fleet.LogBatch): Promise<LogAnswer>;
}
