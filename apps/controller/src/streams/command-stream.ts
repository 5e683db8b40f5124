import { create } from '@bufbuild/protobuf';
import { type AppError, createId, type Logger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type ServerDuplexStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ClientIdentity, ClientSession, FleetPort } from './ports.ts';
import { toStatus } from './status.ts';

export type CommandCall = ServerDuplexStream<fleet.AgentMessage, fleet.ControllerMessage>;

/** How long an agent may take to say hello. */
const HELLO_TIMEOUT_MS = 10_000;
/** How long an agent may leave what it was sent unread before the stream is given up. */
const DRAIN_TIMEOUT_MS = 60_000;
/** After a failed read of the database. */
const RETRY_MS = 1000;

type Body = fleet.ControllerMessage['body'];

/**
 * One agent's command stream, from its first message on.
 *
 * greeting  waits for Hello, bounded in time; anything else ends the stream
 * live      Welcome has been sent. What the agent says is handled one by one, reading pauses meanwhile. What it should
 *           know is sent from the database by one pump: newest desired state, then commands. There is no queue: a change
 *           only marks what has to be read again, so a slow agent costs no memory
 * ended     by the agent, by a newer stream, by a revocation or by a failure: told to the session once
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

  /** Resolves when the stream has ended and the session knows. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Serves the stream until it ends. Never rejects. */
  async run(port: FleetPort): Promise<void> {
    try {
      if (!this.#stopped.signal.aborted) await this.#serve(port);
    } finally {
      this.#done.resolve();
    }
  }

  async #serve(port: FleetPort): Promise<void> {
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

  /** The client has got commands. */
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
      // One at a time, in order; the transport holds back what comes meanwhile.
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
      case 'shieldCounters':
        return session.shieldCounters(body.value);
      case 'shieldEvents':
        // Written with those of others a little later: nothing else has to wait for that.
        void this.#storeEvents(session, body.value);
        return;
      case 'hello':
      case undefined:
        // A second hello means nothing new, an unknown body is from a newer agent.
        return;
    }
  }

  /** Never rejects: an agent that is not told that they are stored tells them again. */
  async #storeEvents(session: ClientSession, told: fleet.ShieldEvents): Promise<void> {
    try {
      if (!(await session.shieldEvents(told))) return;
      const { serviceId, epoch } = told;
      const seq = told.events.at(-1)?.seq ?? 0n;
      const value = create(fleet.ShieldEventsStoredSchema, { serviceId, epoch, seq });
      this.#write({ case: 'shieldEventsStored', value });
    } catch (error) {
      this.#logger.warn({ err: error }, 'command_stream.events_failed');
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
        // Desired state first: a command may wait for what it says.
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

  /** False: the transport has enough for now. */
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
