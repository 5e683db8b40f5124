import { create } from '@bufbuild/protobuf';
import { Backoff, type BackoffOptions, type Clock, type Closable, type Logger, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type Client, type StatusObject, status } from '@grpc/grpc-js';
import { type CommandCall, openCommandCall, readErrorCode, readRetryMs } from './controller-client.ts';
import type { Outbox } from './outbox.ts';

export interface CommandLinkOptions {
  /** The connection to use for the next stream. */
  readonly client: () => Client;
  readonly outbox: Outbox;
  readonly hello: () => fleet.Hello;
  /** The controller has welcomed the agent. The caller now puts everything that an earlier stream may have lost into the outbox. */
  readonly onWelcome: (welcome: fleet.Welcome) => void;
  readonly onDesired: (state: fleet.DesiredState) => void;
  readonly onCommand: (command: fleet.Command) => Promise<void>;
  readonly onResultStored: (commandId: string) => Promise<void>;
  readonly onEventsStored: (stored: fleet.ShieldEventsStored) => void;
  readonly onMinutesStored: (stored: fleet.ShieldMinutesStored) => void;
  readonly onTrafficStored: (stored: fleet.TrafficStored) => void;
  /** The stream has ended. `code` is the controller's own reason, if it gave one. */
  readonly onLost?: (ending: { reason: string; code: string | undefined }) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly backoff?: BackoffOptions;
}

/** The first delay is spread over most of a second, because all agents of a controller that ends lose it at once. */
const BACKOFF: BackoffOptions = { initialMs: 1000, maxMs: 15_000, jitter: 0.8 };
/** Delay after the controller has refused this agent, because frequent attempts would not help. */
const REFUSED_WAIT_MS = 30_000;
/** Shortest delay after the controller has put off this agent. */
const PUT_OFF_MIN_MS = 100;
/** A stream that lasted longer than this resets the backoff. */
const GOOD_MS = 5_000;
const WELCOME_TIMEOUT_MS = 20_000;

const REFUSALS = new Set(['certificate.revoked', 'certificate.client_unknown', 'certificate.foreign']);

/**
 * Keeps one command stream to the controller.
 *
 * connecting  A call is open and Hello has been sent. Ends after WELCOME_TIMEOUT_MS.
 * connected   The controller has sent Welcome. The outbox is open, and messages are handled one by one in their order.
 * waiting     The stream has ended. The jittered delay grows while streams are short, and is long after a refusal. A
 *             controller that is busy says how long it is.
 * closed      Final.
 */
export class CommandLink implements Closable {
  readonly #options: CommandLinkOptions;
  readonly #stopped = new AbortController();
  readonly #backoff: Backoff;
  #call: CommandCall | undefined;
  #running: Promise<void> | undefined;
  #retryNow: AbortController = new AbortController();
  #isConnected = false;

  constructor(options: CommandLinkOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? BACKOFF);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Opens a new stream on the connection that `client()` now returns. */
  reconnect(): void {
    this.#backoff.reset();
    this.#retryNow.abort();
    this.#call?.cancel();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    this.#call?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, logger, onLost } = this.#options;
    while (!this.#stopped.signal.aborted) {
      this.#retryNow = new AbortController();
      const startedAt = clock.monotonic();
      const ending = await this.#serve();
      if (this.#stopped.signal.aborted) return;
      const code = readErrorCode(ending);
      if (clock.monotonic() - startedAt > GOOD_MS) this.#backoff.reset();
      const waitMs = this.#chooseWait(code, readRetryMs(ending));
      logger.warn({ status: status[ending.code], code, reason: ending.details, retry_ms: waitMs }, 'link.lost');
      onLost?.({ reason: ending.details, code });
      await sleep(waitMs, AbortSignal.any([this.#stopped.signal, this.#retryNow.signal]));
    }
  }

  #chooseWait(code: string | undefined, retryMs: number | undefined): number {
    if (code && REFUSALS.has(code)) return REFUSED_WAIT_MS * (0.5 + Math.random() / 2);
    const waitMs = this.#backoff.next();
    if (retryMs === undefined) return waitMs;
    // The controller puts off each agent to another time; a zero of a broken one must not cause a busy loop.
    return Math.max(retryMs, PUT_OFF_MIN_MS) * (1 + Math.random() / 10);
  }

  /** Serves one stream until it ends. */
  async #serve(): Promise<StatusObject> {
    const { outbox, hello } = this.#options;
    const call = openCommandCall(this.#options.client());
    this.#call = call;
    const { promise, resolve } = Promise.withResolvers<StatusObject>();
    call.on('status', resolve);
    // Every error also arrives as a status.
    call.on('error', () => undefined);
    call.on('drain', () => outbox.drained());
    const timer = setTimeout(() => call.cancel(), WELCOME_TIMEOUT_MS);
    call.on('data', (message: fleet.ControllerMessage) => {
      if (message.body.case === 'welcome') clearTimeout(timer);
      call.pause();
      this.#handle(call, message).then(
        () => call.resume(),
        (error: unknown) => {
          this.#options.logger.error({ err: error }, 'link.handling_failed');
          call.cancel();
        },
      );
    });
    call.write(create(fleet.AgentMessageSchema, { body: { case: 'hello', value: hello() } }));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      outbox.shut();
      this.#isConnected = false;
      this.#call = undefined;
    }
  }

  async #handle(call: CommandCall, { body }: fleet.ControllerMessage): Promise<void> {
    const { outbox, logger, onWelcome, onDesired, onCommand } = this.#options;
    const { onResultStored, onEventsStored, onMinutesStored, onTrafficStored } = this.#options;
    switch (body.case) {
      case 'welcome':
        this.#isConnected = true;
        logger.info({ client_id: body.value.clientId }, 'link.connected');
        onWelcome(body.value);
        outbox.open((message) => call.write(message));
        return;
      case 'desiredState':
        onDesired(body.value);
        return;
      case 'command':
        return onCommand(body.value);
      case 'resultStored':
        return onResultStored(body.value.commandId);
      case 'shieldEventsStored':
        onEventsStored(body.value);
        return;
      case 'shieldMinutesStored':
        onMinutesStored(body.value);
        return;
      case 'trafficStored':
        onTrafficStored(body.value);
        return;
      case undefined:
        // A newer controller sent a message that this agent does not know.
        return;
    }
  }
}
