import type { WireLimitName } from '../http2/counters.ts';
import { ERROR_CODE, readUint32 } from '../http2/protocol.ts';
import type { RequestVerdict } from '../http2/request-verdict.ts';
import { Http2Stream } from '../http2/stream.ts';
import type { StreamPort } from '../http2/stream-port.ts';
import type { Call, CallHandler, OpenCall } from './call.ts';
import { PartialMessage } from './partial-message.ts';
import { ANSWER_DATA_AT, PREFIX_BYTES, type PreparedMessage } from './prepared-message.ts';
import { RESPONSE_HEADERS, trailersOf, trailersOnlyOf } from './response-frames.ts';
import { STATUS } from './status.ts';

/** Replaces the handler of an ended call: later events go nowhere, and the handler's memory is free. */
const NOBODY: CallHandler = { onMessage: () => undefined, onHalfClose: () => undefined, onAbort: () => undefined };

const COMPRESSED = 1;

/**
 * A stream as a gRPC call. Calls are not pooled: a handler that keeps its call after the end must never get at another
 * stream, and a short-lived object costs less than the bookkeeping.
 */
export class GrpcCall extends Http2Stream implements Call {
  readonly #open: OpenCall;
  readonly #verdict: RequestVerdict;
  #handler: CallHandler = NOBODY;
  #partial: PartialMessage | undefined = undefined;
  #hasHeaders = false;
  #isFinished = false;

  constructor(connection: StreamPort<Http2Stream>, id: number, verdict: RequestVerdict, open: OpenCall) {
    super(connection, id, verdict.contentLength);
    this.#open = open;
    this.#verdict = verdict;
  }

  begin(): void {
    const { answer, limit } = this.#verdict;
    if (answer !== undefined) {
      if (limit !== undefined) this.#overrun(limit);
      this.connection.counters.refused += 1;
      this.#settle();
      this.connection.sender.end(this, answer);
      return;
    }
    this.connection.counters.calls += 1;
    try {
      const handler = this.#open(this);
      if (!this.#isFinished) this.#handler = handler;
    } catch (error) {
      this.#onThrow(error);
    }
  }

  get isAnswered(): boolean {
    return this.#hasHeaders || this.#isFinished;
  }

  get isListening(): boolean {
    return !this.#isFinished;
  }

  send(message: PreparedMessage): void {
    if (this.#isFinished) return;
    this.#sendHeaders();
    this.connection.sender.sendPayload(this, message.payload);
    if (this.queuedBytes > this.connection.limits.queuedStreamBytes) {
      this.#overrun('queued_stream');
      this.connection.reset(this, ERROR_CODE.enhanceYourCalm);
    }
  }

  finish(message: PreparedMessage | undefined): void {
    if (this.#isFinished) return;
    const hadHeaders = this.#hasHeaders;
    this.#settle();
    const { sender } = this.connection;
    if (message === undefined) {
      sender.end(this, hadHeaders ? trailersOf(STATUS.ok) : trailersOnlyOf(STATUS.ok));
      return;
    }
    const { answer } = message;
    if (!hadHeaders && answer !== undefined) {
      if (sender.sendAnswer(this, answer, ANSWER_DATA_AT, message.payload.length)) return;
    }
    if (!hadHeaders) this.#sendHeaders();
    sender.sendPayload(this, message.payload);
    sender.end(this, trailersOf(STATUS.ok));
  }

  fail(status: number): void {
    if (this.#isFinished) return;
    const hadHeaders = this.#hasHeaders;
    this.#settle();
    this.connection.sender.end(this, hadHeaders ? trailersOf(status) : trailersOnlyOf(status));
  }

  onData(bytes: Buffer, start: number, end: number): void {
    let at = start;
    if (this.#partial !== undefined) at = this.#completePartial(this.#partial, bytes, at, end);
    while (!this.#isFinished && end - at >= PREFIX_BYTES) {
      if (!this.#takesPrefix(bytes, at)) return;
      const from = at + PREFIX_BYTES;
      const to = from + readUint32(bytes, at + 1);
      if (to > end) break;
      at = to;
      this.#deliver(bytes, from, to);
    }
    if (this.#isFinished || at >= end) return;
    this.#partial = new PartialMessage();
    this.#completePartial(this.#partial, bytes, at, end);
  }

  onRemoteEnd(): void {
    if (this.#isFinished) return;
    if (this.#partial !== undefined) {
      this.#refuseWith(STATUS.internal);
      return;
    }
    try {
      this.#handler.onHalfClose();
    } catch (error) {
      this.#onThrow(error);
    }
  }

  onReset(isByPeer: boolean): void {
    if (this.#isFinished) return;
    const handler = this.#handler;
    this.#settle();
    try {
      handler.onAbort(isByPeer);
    } catch (error) {
      this.connection.handlerError(STATUS.internal, error);
    }
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    this.connection.counters.messages += 1;
    try {
      this.#handler.onMessage(bytes, start, end);
    } catch (error) {
      this.#onThrow(error);
    }
  }

  /** Checks the prefix of a message. False: the call has ended with a status. */
  #takesPrefix(bytes: Buffer, at: number): boolean {
    const flag = bytes[at] as number;
    if (flag !== 0) {
      // We offer no encoding (grpc-accept-encoding). If the request names none, the flag itself is an error.
      this.#refuseWith(flag === COMPRESSED && this.#verdict.isEncoded ? STATUS.unimplemented : STATUS.internal);
      return false;
    }
    if (readUint32(bytes, at + 1) <= this.connection.limits.messageBytes) return true;
    this.#overrun('message');
    this.#refuseWith(STATUS.resourceExhausted);
    return false;
  }

  #append(partial: PartialMessage, bytes: Buffer, start: number, end: number): number {
    const { connection } = this;
    const before = partial.capacity;
    const at = partial.append(bytes, start, end);
    connection.partialBytes.add(partial.capacity - before);
    if (connection.partialBytes.isTooMuch) {
      this.#overrun('partial_messages');
      this.#refuseWith(STATUS.resourceExhausted);
    }
    return at;
  }

  /** Appends to the partial message and delivers it when it is complete. Returns the offset after the consumed bytes. */
  #completePartial(partial: PartialMessage, bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (!this.#isFinished && at < end) {
      const hadPrefix = partial.length >= PREFIX_BYTES;
      at = this.#append(partial, bytes, at, end);
      if (this.#isFinished || partial.length < PREFIX_BYTES) return at;
      if (!hadPrefix && !this.#takesPrefix(partial.bytes, 0)) return at;
      if (partial.length < partial.total) continue;
      this.#releasePartial();
      this.#deliver(partial.bytes, PREFIX_BYTES, partial.length);
      return at;
    }
    return at;
  }

  #releasePartial(): void {
    if (this.#partial === undefined) return;
    this.connection.partialBytes.add(-this.#partial.capacity);
    this.#partial = undefined;
  }

  #sendHeaders(): void {
    if (this.#hasHeaders) return;
    this.#hasHeaders = true;
    this.connection.sender.sendFrame(RESPONSE_HEADERS, this.id);
  }

  #onThrow(error: unknown): void {
    this.connection.handlerError(STATUS.internal, error);
    this.fail(STATUS.internal);
  }

  #overrun(limit: WireLimitName): void {
    this.connection.counters.limits[limit] += 1;
  }

  /** Ends the call because the request is invalid. */
  #refuseWith(status: number): void {
    this.connection.counters.refused += 1;
    const handler = this.#handler;
    this.fail(status);
    try {
      handler.onAbort(false);
    } catch (error) {
      this.connection.handlerError(STATUS.internal, error);
    }
  }

  #settle(): void {
    this.#isFinished = true;
    this.#handler = NOBODY;
    this.#releasePartial();
  }
}
