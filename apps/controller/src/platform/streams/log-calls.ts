import { create } from '@bufbuild/protobuf';
import type { Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Admission } from './admission.ts';
import { type LogLimits, LogShares } from './log-shares.ts';
import type { ClientIdentity, LogAnswer, LogsPort } from './ports.ts';
import { toStatus } from './status.ts';

type LogCall = ServerDuplexStream<fleet.LogBatch, fleet.LogBatchStored>;

export interface LogCallsOptions {
  readonly admission: Admission;
  readonly logs: LogsPort;
  readonly logger: Logger;
  /** Tests lower them. */
  readonly limits?: Partial<LogLimits>;
}

/** Counts of batches since the start. */
export interface LogCounts {
  stored: number;
  /** The agent was asked to send the batch again later. */
  putOff: number;
  /** Larger than agents may send; answered as stored, because a repetition would not change it. */
  oversized: number;
}

/** Nothing collects entries: the agents keep them. */
export const NO_COLLECTOR: LogsPort = { push: () => Promise.resolve({ retryMs: 30_000 }) };

/** An agent comes back with a batch after this time if memory is short, or if storing it has failed. */
const FULL_RETRY_MS = 1000;
const FAILED_RETRY_MS = 5000;
/** Size of one batch; agents make no larger ones. */
const PAYLOAD_MAX_BYTES = 4 * 1024 * 1024;

/**
 * flotilla.fleet.v1.LogService. A batch in flight occupies memory within the shares of its client and of all; one beyond them is
 * put off at once, without a look at it. Reading pauses only for an agent that does not read its answers.
 */
export class LogCalls {
  readonly counts: LogCounts = { stored: 0, putOff: 0, oversized: 0 };
  readonly #options: LogCallsOptions;
  readonly #shares: LogShares;
  readonly #calls = new Set<LogCall>();
  #closed = false;

  constructor(options: LogCallsOptions) {
    this.#options = options;
    this.#shares = new LogShares(options.limits);
  }

  get streams(): number {
    return this.#calls.size;
  }

  /** Bytes of the batches that wait for the collector. */
  get bytesInFlight(): number {
    return this.#shares.bytes;
  }

  /** flotilla.fleet.v1.LogService.Push */
  readonly push = (call: LogCall): void => {
    // A peer that leaves early must not crash the process.
    call.on('error', () => undefined);
    this.#serve(call).catch((error: unknown) => call.emit('error', toStatus(error)));
  };

  close(): void {
    this.#closed = true;
    for (const call of this.#calls) call.emit('error', STOPPING);
    this.#calls.clear();
  }

  async #serve(call: LogCall): Promise<void> {
    const facts = { address: call.getPeer(), metadata: call.metadata, path: call.getPath() };
    const { clientId, projectId } = await this.#options.admission.admit(facts, { action: 'client.push_logs' });
    if (this.#closed) {
      call.emit('error', STOPPING);
      return;
    }
    if (call.cancelled) return;
    const leave = () => this.#calls.delete(call);
    this.#calls.add(call);
    call.once('cancelled', leave).once('error', leave).once('close', leave);
    call.once('end', () => {
      leave();
      call.end();
    });
    call.on('data', (batch: fleet.LogBatch) => void this.#take(call, { clientId, projectId }, batch));
  }

  async #take(call: LogCall, client: ClientIdentity, batch: fleet.LogBatch): Promise<void> {
    const { serviceId, epoch, sequence } = batch;
    const answer = await this.#judge(client, batch);
    const retryMs = 'stored' in answer ? 0 : Math.max(1, Math.round(answer.retryMs));
    if (retryMs === 0) this.counts.stored += 1;
    else this.counts.putOff += 1;
    if (!this.#calls.has(call)) return;
    const message = create(fleet.LogBatchStoredSchema, { serviceId, epoch, sequence, retryMs });
    if (call.write(message)) return;
    call.pause();
    call.once('drain', () => call.resume());
  }

  /** Never rejects. */
  async #judge(client: ClientIdentity, batch: fleet.LogBatch): Promise<LogAnswer> {
    const bytes = batch.payload.byteLength;
    if (bytes > PAYLOAD_MAX_BYTES) {
      this.counts.oversized += 1;
      return { stored: true };
    }
    const giveBack = this.#shares.take(client.clientId, bytes);
    if (!giveBack) return { retryMs: FULL_RETRY_MS };
    try {
      return await this.#options.logs.push(client, batch);
    } catch (error) {
      this.#options.logger.warn({ err: error, client_id: client.clientId }, 'log_batch.failed');
      return { retryMs: FAILED_RETRY_MS };
    } finally {
      giveBack();
    }
  }
}

const STOPPING = { code: status.UNAVAILABLE, details: 'the controller is stopping' };
