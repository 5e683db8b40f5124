import { create } from '@bufbuild/protobuf';
import { type AppError, createId, type Logger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type ServerDuplexStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ClientIdentity, ClientSession, FleetPort } from './ports.ts';
import { toStatus } from './status.ts';

export type CommandCall = ServerDuplexStream<fleet.AgentMessage, fleet.ControllerMessage>;

/** Deadline for the agent's Hello. */
const HELLO_TIMEOUT_MS = 10_000;
/** The stream ends if an agent leaves messages unread for this long. */
const DRAIN_TIMEOUT_MS = 60_000;
/** Delay after a failed database read. */
const RETRY_MS = 1000;

type Body = fleet.ControllerMessage['body'];

/**
 * One agent's command stream.
 * - greeting: waits for Hello until a deadline; any other message ends the stream.
 * - live: Welcome has been sent. Messages from the agent are handled one by one, and reading pauses while one is
 * handled. One pump reads from the database and sends the newest desired state, then commands. It has no queue: a
 * change only marks what must be read again, so a slow agent costs no memory.
 * - ended: by the agent, a newer stream, a revocation or a failure; the session is closed once.
 */
export class CommandStream {
  readonly id = createId();
  readonly client: ClientIdentity;
  readonly #call: CommandCall;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  readonly #sentCommands = new Set<string>();
  readonly #done = Promise.withResolvers<void>();
  #session: ClientSession | undefined;
  #sentRevision: bigint | undefined;
  #endReason = 'connection lost';
  #isDesiredDue = true;
  #areCommandsDue = true;
  #pumping = false;

  constructor(call: CommandCall, client: ClientIdentity, logger: Logger) {
    this.#call = call;
    this.client = client;
    this.#logger = logger.child({ client_id: client.clientId, stream: this.id });
  }

  /** Resolves when the stream has ended and the session is closed. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Serves the stream until it ends. Calls `onOpened` when it is live or cannot be. Never rejects. */
  async run(port: FleetPort, onOpened: () => void): Promise<void> {
    try {
      if (!this.#stopped.signal.aborted) await this.#serve(port, onOpened);
    } finally {
      this.#done.resolve();
    }
  }

  async #serve(port: FleetPort, onOpened: () => void): Promise<void> {
    const ended = this.#watchEnd();
    const hello = await Promise.race([this.#readHello(), ended.then(() => undefined)]);
    if (!hello || this.#stopped.signal.aborted) {
      this.end({ code: status.INVALID_ARGUMENT, details: 'the first message must be Hello' }, 'no hello');
      return;
    }
    try {
      this.#session = await port.opened(this.client, hello);
    } catch (error) {
      this.#fail(error);
      return;
    }
    onOpened();
    if (!this.#stopped.signal.aborted) this.#start(this.#session);
    await ended;
    await this.#session
      .closed(this.#endReason)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'command_stream.close_failed'));
  }

  /** The client's desired state has changed. */
  noteDesired(): void {
    this.#isDesiredDue = true;
    this.#pump();
  }

  /** The client has new commands. */
  noteCommands(): void {
    this.#areCommandsDue = true;
    this.#pump();
  }

  end(ending: Pick<StatusObject, 'code' | 'details'> & Partial<StatusObject>, reason: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#endReason = reason;
    this.#stopped.abort();
    this.#call.emit('error', ending);
  }

  #watchEnd(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = (reason: string) => {
      if (!this.#stopped.signal.aborted) {
        this.#endReason = reason;
        this.#stopped.abort();
      }
      resolve();
    };
    this.#call.once('cancelled', () => finish('connection lost'));
    this.#call.once('error', () => finish('stream failed'));
    this.#call.once('close', () => finish('connection lost'));
    this.#call.once('end', () => {
      finish(this.#call.cancelled ? 'connection lost' : 'agent left');
      this.#call.end();
    });
    this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }

  async #readHello(): Promise<fleet.Hello | undefined> {
    const { promise, resolve } = Promise.withResolvers<fleet.Hello | undefined>();
    const timer = setTimeout(() => resolve(undefined), HELLO_TIMEOUT_MS);
    this.#call.once('data', ({ body }: fleet.AgentMessage) => {
      this.#call.pause();
      resolve(body.case === 'hello' ? body.value : undefined);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #start(session: ClientSession): void {
    const { clientId, projectId } = this.client;
    const { statsIntervalMs } = session;
    this.#write({ case: 'welcome', value: create(fleet.WelcomeSchema, { clientId, projectId, statsIntervalMs }) });
    this.#call.on('data', (message: fleet.AgentMessage) => {
      // Handles one message at a time, in order; the transport holds back the rest.
      this.#call.pause();
      this.#handle(session, message).then(
        () => this.#call.resume(),
        (error: unknown) => this.#fail(error),
      );
    });
    this.#call.resume();
    this.#pump();
  }

  async #handle(session: ClientSession, { body }: fleet.AgentMessage): Promise<void> {
    switch (body.case) {
      case 'accepted':
        return session.accepted(body.value.commandId);
      case 'progress':
        return session.progress(body.value);
      case 'result': {
        const { commandId } = body.value;
        await session.result(body.value);
        this.#sentCommands.delete(commandId);
        this.#write({ case: 'resultStored', value: create(fleet.ResultStoredSchema, { commandId }) });
        return;
      }
      case 'nodeReport':
        return session.nodeReport(body.value);
      case 'rolloutReport':
        return session.rolloutReport(body.value);
      case 'hostStats':
        return session.hostStats(body.value);
      case 'hostFacts':
        return session.facts(body.value);
      case 'shieldCounters':
        // Stored in a batch with those of others; nothing else waits for it.
        void this.#storeCounters(session, body.value);
        return;
      case 'shieldEvents':
        void this.#storeEvents(session, body.value);
        return;
      case 'trafficReport':
        void this.#storeTraffic(session, body.value);
        return;
      case 'haReport':
        return session.haReport(body.value);
      case 'hello':
      case undefined:
        // Ignores a repeated Hello and unknown messages of newer agents.
        return;
    }
  }

  /** Never rejects: an agent without an acknowledgement sends its minutes again. */
  async #storeCounters(session: ClientSession, report: fleet.ShieldCounters): Promise<void> {
    try {
      const seq = await session.shieldCounters(report);
      if (seq === undefined) return;
      const { serviceId, epoch } = report;
      const value = create(fleet.ShieldMinutesStoredSchema, { serviceId, epoch, seq });
      this.#write({ case: 'shieldMinutesStored', value });
    } catch (error) {
      this.#logger.warn({ err: error }, 'command_stream.counters_failed');
    }
  }

  /** Never rejects: an agent without an acknowledgement sends the events again. */
  async #storeEvents(session: ClientSession, report: fleet.ShieldEvents): Promise<void> {
    try {
      if (!(await session.shieldEvents(report))) return;
      const { serviceId, epoch } = report;
      const seq = report.events.at(-1)?.seq ?? 0n;
      const value = create(fleet.ShieldEventsStoredSchema, { serviceId, epoch, seq });
      this.#write({ case: 'shieldEventsStored', value });
    } catch (error) {
      this.#logger.warn({ err: error }, 'command_stream.events_failed');
    }
  }

  /** Never rejects: an agent without an acknowledgement sends the intervals again. */
  async #storeTraffic(session: ClientSession, report: fleet.TrafficReport): Promise<void> {
    try {
      const seq = await session.trafficReport(report);
      if (seq === undefined) return;
      const { serviceId, epoch } = report;
      this.#write({ case: 'trafficStored', value: create(fleet.TrafficStoredSchema, { serviceId, epoch, seq }) });
    } catch (error) {
      this.#logger.warn({ err: error }, 'command_stream.traffic_failed');
    }
  }

  #pump(): void {
    if (this.#pumping || !this.#session) return;
    this.#pumping = true;
    this.#sendDue(this.#session)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#pumping = false;
      });
  }

  async #sendDue(session: ClientSession): Promise<void> {
    while (!this.#stopped.signal.aborted && (this.#isDesiredDue || this.#areCommandsDue)) {
      try {
        // Desired state first: a command may depend on it.
        if (this.#isDesiredDue) await this.#sendDesired(session);
        else await this.#sendCommands(session);
      } catch (error) {
        this.#isDesiredDue = true;
        this.#areCommandsDue = true;
        this.#logger.warn({ err: error }, 'command_stream.read_failed');
        await sleep(RETRY_MS, this.#stopped.signal);
      }
    }
  }

  async #sendDesired(session: ClientSession): Promise<void> {
    this.#isDesiredDue = false;
    const state = await session.desiredState();
    if (this.#sentRevision !== undefined && state.revision <= this.#sentRevision) return;
    this.#sentRevision = state.revision;
    await this.#writeAndDrain({ case: 'desiredState', value: state });
  }

  async #sendCommands(session: ClientSession): Promise<void> {
    this.#areCommandsDue = false;
    for (const command of await session.unfinishedCommands()) {
      if (this.#stopped.signal.aborted) return;
      if (this.#sentCommands.has(command.commandId)) continue;
      this.#sentCommands.add(command.commandId);
      await this.#writeAndDrain({ case: 'command', value: command });
      await session.sent(command.commandId);
    }
  }

  /** False: the transport's buffer is full. */
  #write(body: Body): boolean {
    if (this.#stopped.signal.aborted) return true;
    return this.#call.write(create(fleet.ControllerMessageSchema, { body }));
  }

  async #writeAndDrain(body: Body): Promise<void> {
    if (this.#write(body)) return;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), DRAIN_TIMEOUT_MS);
    this.#call.once('drain', () => resolve(true));
    this.#stopped.signal.addEventListener('abort', () => resolve(true), { once: true });
    const isDrained = await promise;
    clearTimeout(timer);
    if (!isDrained) this.end({ code: status.DEADLINE_EXCEEDED, details: 'the agent does not read' }, 'agent stuck');
  }

  #fail(error: unknown): void {
    this.#logger.warn({ err: error }, 'command_stream.failed');
    this.end(toStatus(error as AppError), 'failure');
  }
}
