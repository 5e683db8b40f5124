import { failFleet } from '@flotilla/contract';
import type { fleet } from '@flotilla/proto';
import type { ShieldEventRecorder } from '../../security/public.ts';
import type { TrafficRecorder } from '../../traffic/public.ts';
import type { ClientRegistry, Connection } from '../clients/index.ts';
import type { CommandDelivery } from '../commands/index.ts';
import type { MetricsRecorder } from '../metrics/index.ts';
import type { DesiredStates } from './desired-state.ts';
import type { PairsPort } from './pairs-port.ts';
import type { AgentReports } from './reports.ts';

/** A stream as seen by `FleetChanges`: its client and what it has received. */
export interface OpenSession {
  readonly connection: Connection;
  /** Revision of the desired state that was last sent. */
  revision: bigint;
}

export interface AgentSessionsDeps {
  readonly clients: ClientRegistry;
  readonly commands: CommandDelivery;
  readonly reports: AgentReports;
  readonly metrics: MetricsRecorder;
  readonly shieldEvents: ShieldEventRecorder;
  readonly traffic: TrafficRecorder;
  readonly desired: DesiredStates;
  readonly pairs: Pick<PairsPort, 'recordReport' | 'forget'>;
  readonly now: () => Date;
  /** Interval at which agents send the statistics of their hosts. */
  readonly statsIntervalMs: number;
  /** Makes the client's stream read its commands again. */
  readonly noteCommands: (clientId: string) => void;
  /** Makes the client's stream read its desired state again. */
  readonly noteDesired: (clientId: string) => void;
}

/** Serves one agent's command stream. Calls of one session are made one after the other. */
export class AgentSession implements OpenSession {
  readonly connection: Connection;
  revision = 0n;
  /** Commands wait until the desired state before them is sent. */
  #isHoldingBack = false;
  readonly #deps: AgentSessionsDeps;
  readonly #onClosed: (session: AgentSession) => void;

  constructor(connection: Connection, deps: AgentSessionsDeps, onClosed: (session: AgentSession) => void) {
    this.connection = connection;
    this.#deps = deps;
    this.#onClosed = onClosed;
  }

  get statsIntervalMs(): number {
    return this.#deps.statsIntervalMs;
  }

  get #clientId(): string {
    return this.connection.clientId;
  }

  async desiredState(): Promise<fleet.DesiredState> {
    const state = await this.#deps.desired.desiredStateFor(this.#clientId, this.#deps.now());
    this.revision = state.revision;
    if (this.#isHoldingBack) this.#deps.noteCommands(this.#clientId);
    return state;
  }

  async unfinishedCommands(): Promise<readonly fleet.Command[]> {
    const { commands, isHeldBack } = await this.#deps.commands.unfinishedFor(
      this.#clientId,
      this.revision,
      this.#deps.now(),
    );
    this.#isHoldingBack = isHeldBack;
    return commands;
  }

  sent(commandId: string): Promise<void> {
    return this.#deps.commands.recordSent(this.#clientId, commandId, this.#deps.now());
  }

  accepted(commandId: string): Promise<void> {
    return this.#deps.commands.recordAccepted(this.#clientId, commandId);
  }

  progress(progress: fleet.CommandProgress): Promise<void> {
    return this.#deps.commands.recordProgress(this.#clientId, progress);
  }

  async result(result: fleet.CommandResult): Promise<void> {
    await this.#deps.commands.recordResult(this.#clientId, result, this.#deps.now());
  }

  nodeReport(report: fleet.NodeReport): Promise<void> {
    return this.#deps.reports.recordNode(this.#clientId, report, this.#deps.now());
  }

  rolloutReport(report: fleet.RolloutReport): Promise<void> {
    return this.#deps.reports.recordRollout(this.#clientId, report, this.#deps.now());
  }

  hostStats(stats: fleet.HostStats): Promise<void> {
    this.#deps.metrics.noteStats(this.#clientId, stats);
    return this.#deps.clients.recordStats(this.#clientId, stats, this.#deps.now());
  }

  async facts(facts: fleet.HostFacts): Promise<void> {
    await this.#deps.clients.recordFacts(this.#clientId, facts, this.#deps.now());
    // The addresses of a member of a pair are facts.
    if (facts.ha) this.#deps.noteDesired(this.#clientId);
  }

  haReport(report: fleet.HaReport): Promise<void> {
    return this.#deps.pairs.recordReport(this.#clientId, report, this.#deps.now());
  }

  shieldCounters(counters: fleet.ShieldCounters): Promise<bigint | undefined> {
    return this.#deps.metrics.noteCounters(this.#clientId, counters);
  }

  shieldEvents(events: fleet.ShieldEvents): Promise<boolean> {
    return this.#deps.shieldEvents.note(this.#clientId, events);
  }

  trafficReport(report: fleet.TrafficReport): Promise<bigint | undefined> {
    return this.#deps.traffic.note(this.#clientId, report);
  }

  async closed(reason: string): Promise<void> {
    this.#onClosed(this);
    this.#deps.metrics.forget(this.#clientId);
    this.#deps.traffic.forget(this.#clientId);
    this.#deps.pairs.forget(this.#clientId);
    await this.#deps.clients.recordDisconnected(this.connection, reason, this.#deps.now());
  }
}

/** The sessions of this controller's command streams: at most one per client. */
export class AgentSessions {
  readonly #deps: AgentSessionsDeps;
  readonly #open = new Map<string, AgentSession>();

  constructor(deps: AgentSessionsDeps) {
    this.#deps = deps;
  }

  get open(): ReadonlyMap<string, OpenSession> {
    return this.#open;
  }

  /** A stream has sent Hello. Throws client.not_found if the client was removed. */
  async opened(client: { readonly clientId: string }, hello: fleet.Hello): Promise<AgentSession> {
    const now = this.#deps.now();
    const connection = await this.#deps.clients.recordConnected(client.clientId, {
      facts: hello.facts,
      reason: 'stream_opened',
      now,
    });
    if (!connection) throw failFleet('client.not_found', { id: client.clientId });
    const session = new AgentSession(connection, this.#deps, (closed) => {
      if (this.#open.get(client.clientId) === closed) this.#open.delete(client.clientId);
    });
    this.#open.set(client.clientId, session);
    try {
      await this.#deps.reports.recordHello(client.clientId, hello.nodes, now);
    } catch (error) {
      await session.closed('hello not stored');
      throw error;
    }
    return session;
  }
}
