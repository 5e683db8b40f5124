import { create } from '@bufbuild/protobuf';
import { Backoff, type BackoffOptions, type Clock, type Closable, type Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type Client, status } from '@grpc/grpc-js';
import { type LogCall, openLogCall } from '../link/controller-client.ts';
import type { SpoolRecord } from './spool/segment.ts';
import type { Spool } from './spool/spool.ts';

/** A spool and whose it is. */
export interface SendingService {
  readonly serviceId: string;
  readonly spool: Pick<Spool, 'take' | 'stored'>;
}

export interface LogSenderOptions {
  readonly services: () => Iterable<SendingService>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Tests shorten the waits. */
  readonly backoff?: BackoffOptions;
}

/** A batch that was taken from its spool and is not stored yet. */
interface Sent {
  readonly service: SendingService;
  readonly record: SpoolRecord;
  /** Has to be written, because the stream is new or the controller put it off. */
  isDue: boolean;
}

/** Batches without an answer, of all services together. */
const WINDOW = 4;
const WINDOW_BYTES = 8 * 1024 * 1024;
const BACKOFF: BackoffOptions = { initialMs: 1000, maxMs: 30_000 };
/** An older controller has no such service. */
const UNKNOWN_WAIT_MS = 5 * 60_000;
const RETRY_MAX_MS = 10 * 60_000;
/** A controller that has not answered for this long has lost the batches. */
const ANSWER_MAX_MS = 120_000;

/**
 * Sends what is in the spools to the controller, and repeats it until it is stored.
 *
 * closed    There is no stream: no connection, or the wait after a stream has ended.
 * open      Batches are taken from the spools in turn and written, a few ahead of the answers.
 * put off   The controller wants a batch later. Nothing is sent until then; afterwards that batch comes first.
 */
export class LogSender implements Closable {
  readonly #options: LogSenderOptions;
  readonly #backoff: Backoff;
  readonly #sent = new Map<string, Sent>();
  #client: Client | undefined;
  #call: LogCall | undefined;
  #timer: NodeJS.Timeout | undefined;
  #answerTimer: NodeJS.Timeout | undefined;
  #isPutOff = false;
  #isPumping = false;
  /** A timer or an answer asked for a pump while one ran. */
  #pumpsAgain = false;
  /** Something was added while the pump ran. */
  #isDue = false;
  #isClosed = false;
  #turn = 0;

  constructor(options: LogSenderOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? BACKOFF);
  }

  /** Uses this connection from now on. */
  connect(client: Client): void {
    this.#client = client;
    this.#backoff.reset();
    const previous = this.#call;
    this.#call = undefined;
    previous?.cancel();
    this.#open();
  }

  /** There is something in a spool. */
  note(): void {
    this.#isDue = true;
    this.#pump();
  }

  /** The service and its spool are gone. */
  forget(serviceId: string): void {
    for (const [key, { service }] of this.#sent) if (service.serviceId === serviceId) this.#sent.delete(key);
    this.note();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#answerTimer);
    this.#call?.cancel();
    this.#call = undefined;
    return Promise.resolve();
  }

  #open(): void {
    if (this.#isClosed || this.#client === undefined || this.#call) return;
    clearTimeout(this.#timer);
    this.#isPutOff = false;
    const call = openLogCall(this.#client);
    this.#call = call;
    for (const sent of this.#sent.values()) sent.isDue = true;
    call.on('data', (stored: fleet.LogBatchStored) => this.#take(stored));
    // Every error also arrives as a status.
    call.on('error', () => undefined);
    call.on('drain', () => this.#pump());
    call.on('status', ({ code, details }) => this.#ended(call, code, details));
    this.#isDue = true;
    this.#pump();
  }

  #ended(call: LogCall, code: status, details: string): void {
    if (this.#call !== call) return;
    this.#call = undefined;
    clearTimeout(this.#answerTimer);
    if (this.#isClosed) return;
    const waitMs = code === status.UNIMPLEMENTED ? UNKNOWN_WAIT_MS : this.#backoff.next();
    this.#options.logger.debug({ status: status[code], reason: details, retry_ms: waitMs }, 'access_log.stream_ended');
    this.#after(waitMs, () => this.#open());
  }

  #after(ms: number, run: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, ms);
    this.#timer.unref();
  }

  #take({ epoch, sequence, serviceId, retryMs }: fleet.LogBatchStored): void {
    const key = toKey(serviceId, epoch, sequence);
    const sent = this.#sent.get(key);
    this.#watchAnswers();
    if (!sent) return;
    if (retryMs > 0) {
      sent.isDue = true;
      this.#putOff(retryMs);
      return;
    }
    this.#backoff.reset();
    this.#sent.delete(key);
    sent.service.spool.stored(sent.record);
    this.#isDue = true;
    this.#pump();
  }

  #putOff(retryMs: number): void {
    if (this.#isPutOff) return;
    this.#isPutOff = true;
    // Not all agents come back at once.
    this.#after(Math.min(retryMs, RETRY_MAX_MS) * (1 + Math.random() / 10), () => {
      this.#isPutOff = false;
      this.#pump();
    });
  }

  /** Ends a stream over which nothing is answered. */
  #watchAnswers(): void {
    clearTimeout(this.#answerTimer);
    const call = this.#call;
    this.#answerTimer = setTimeout(() => {
      const isWaiting = [...this.#sent.values()].some(({ isDue }) => !isDue);
      if (isWaiting && !this.#isPutOff) call?.cancel();
    }, ANSWER_MAX_MS);
    this.#answerTimer.unref();
  }

  #pump(): void {
    if (this.#isPumping) this.#pumpsAgain = true;
    if (this.#isPumping || !this.#call) return;
    this.#isPumping = true;
    this.#pumpsAgain = false;
    this.#send()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'access_log.send_failed'))
      .finally(() => {
        this.#isPumping = false;
        if (this.#pumpsAgain || (this.#isDue && this.#hasRoom())) this.#pump();
      });
  }

  /** Repeats what was put off or lost with a stream, and then sends more. */
  async #send(): Promise<void> {
    for (const sent of this.#sent.values()) {
      if (this.#isPutOff) return;
      if (sent.isDue) this.#write(sent);
    }
    while (this.#hasRoom()) {
      this.#isDue = false;
      const next = await this.#takeNext();
      if (!next) return;
      this.#sent.set(toKey(next.service.serviceId, next.record.epoch, next.record.sequence), next);
      this.#isDue = true;
      if (!this.#isPutOff) this.#write(next);
    }
  }

  #hasRoom(): boolean {
    let bytes = 0;
    for (const { record } of this.#sent.values()) bytes += record.payload.length;
    return this.#call !== undefined && !this.#isPutOff && this.#sent.size < WINDOW && bytes < WINDOW_BYTES;
  }

  /** From the spools in turn. */
  async #takeNext(): Promise<Sent | undefined> {
    const services = [...this.#options.services()];
    for (let count = 0; count < services.length; count += 1) {
      this.#turn = (this.#turn + 1) % services.length;
      const service = services[this.#turn];
      const record = await service?.spool.take();
      if (service && record) return { service, record, isDue: true };
    }
    return undefined;
  }

  #write(sent: Sent): void {
    if (!this.#call) return;
    sent.isDue = false;
    const { epoch, sequence, payload, entries } = sent.record;
    const { serviceId } = sent.service;
    this.#call.write(create(fleet.LogBatchSchema, { serviceId, epoch, sequence, payload, entries }));
    this.#watchAnswers();
  }
}

function toKey(serviceId: string, epoch: string, sequence: bigint): string {
  return `${serviceId} ${epoch} ${sequence}`;
}
