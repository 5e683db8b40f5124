import { Decision, type DecisionListener, type PolicyRuntime, ReceivedBody, statedLength } from '@flotilla/decision';
import { type Call, type CallHandler, type ProcessingRequestKind, ProcessingRequestReader } from '@flotilla/grpc-wire';
import type { PhaseTiming } from '../metrics/phase-timing.ts';
import type { WiringSignals } from '../self-test/wiring-signals.ts';
import { answerBody, answerHeaders } from './answers.ts';
import { answerBlock } from './block-answers.ts';
import { type KeptHeaders, KeptHeadersPool } from './kept-headers.ts';
import { RecentReadings } from './recent-readings.ts';
import { RequestHeaders } from './request-headers.ts';

/** gRPC status (grpc/status.proto), which Envoy in failure mode closed turns into an error of the request. */
const INTERNAL = 13;

/**
 * A body message that does not end the request is complete if trailers follow, and truncated if Envoy's buffer was
 * full. The generated configuration has buffers above every limit, but a self-managed Envoy may have any size. Smaller
 * buffers than this are not expected.
 */
const SMALLEST_BUFFER_BYTES = 16 * 1024;

/**
 * Limit for headers that wait for bodies, in bytes per thread. Clients control how long they wait, with up to 60 KiB
 * each: without a limit a few thousand slow uploads would crash the filter and fail every request.
 */
const AWAITED_MAX_BYTES = 128 * 1024 * 1024;
/** Memory of a waiting exchange besides its headers (measured: 3 KB). */
const WAIT_BYTES = 4096;

/** Observes how requests end. Called synchronously; must not throw. */
export interface ExchangeListener extends DecisionListener, WiringSignals {
  onDecided(isBlocked: boolean): void;
  /** Undecoded size of a body that engines requested. */
  onBodyInspected(bytes: number): void;
}

export interface ExchangeOptions {
  /** Number of trusted proxies in front of Envoy that append to X-Forwarded-For. */
  readonly trustedHops: number;
  readonly listener: ExchangeListener;
  readonly timing?: PhaseTiming;
  /** The bundle for a request that begins now. */
  readonly currentRuntime: () => PolicyRuntime;
  /** Memory for requests that wait for their bodies; further ones fail. For tests. */
  readonly awaitedMaxBytes?: number;
}

/** The exchanges of one thread. They are decided one after the other, so they share a reader and a view. */
export class ExchangeServer {
  readonly options: ExchangeOptions;
  readonly reader = new ProcessingRequestReader();
  readonly view: RequestHeaders;
  readonly kept: KeptHeadersPool;
  /** Bytes of headers whose bodies are awaited. */
  awaitedBytes = 0;

  constructor(options: ExchangeOptions) {
    this.options = options;
    const recent = new RecentReadings(options.trustedHops);
    this.view = new RequestHeaders(this.reader, recent);
    this.kept = new KeptHeadersPool(recent);
  }

  open(call: Call): CallHandler {
    return new Exchange(this, call);
  }
}

/** A request whose body is awaited. It has its own copy of the headers, because other requests come in between. */
interface AwaitedBody {
  readonly decision: Decision;
  readonly headers: KeptHeaders;
  readonly bytes: number;
}

/**
 * One request of Envoy, which is one call.
 *
 * - *new*: nothing has arrived. The request's headers must come first: a proxy that omits them would get an unchecked
 *   request passed.
 * - *waiting*: the headers were continued, and the answer asked for the body. The next message is the body (or
 *   trailers if there is none); anything else means that Envoy did not follow the answer, and fails the request.
 * - *over*: the last answer was sent. The exchange is then closed, because Envoy aborts every request with an open
 *   exchange when the filter dies.
 *
 * The bundle that is current when the headers arrive decides the whole request.
 */
class Exchange implements CallHandler {
  readonly #server: ExchangeServer;
  readonly #call: Call;
  #awaited: AwaitedBody | undefined;

  constructor(server: ExchangeServer, call: Call) {
    this.#server = server;
    this.#call = call;
  }

  onMessage(bytes: Buffer, start: number, end: number): void {
    const { timing } = this.#server.options;
    const isBody = this.#awaited !== undefined;
    if (timing === undefined || (!isBody && !timing.isHeadersDue())) {
      this.#take(bytes, start, end);
      return;
    }
    const beganAt = performance.now();
    this.#take(bytes, start, end);
    if (isBody) timing.onBody(performance.now() - beganAt);
    else timing.onHeaders(performance.now() - beganAt);
  }

  #take(bytes: Buffer, start: number, end: number): void {
    const { reader } = this.#server;
    const awaited = this.#endWait();
    const kind = reader.read(bytes, start, end);
    if (awaited !== undefined) {
      this.#decideBody(awaited, kind);
      this.#server.kept.giveBack(awaited.headers);
    } else if (kind === 'requestHeaders') this.#decideHeaders(bytes, start, end);
    else {
      this.#server.options.listener.onHeadersMissing();
      throw new Error(`the exchange began with ${kind}`);
    }
  }

  onHalfClose(): void {
    // Envoy continues a request if its exchange ends normally, even before any answer.
    if (this.#endWait() !== undefined) this.#server.options.listener.onBodyAbandoned();
    this.#call.fail(INTERNAL);
  }

  onAbort(isByPeer: boolean): void {
    if (this.#endWait() === undefined) return;
    const { listener } = this.#server.options;
    if (isByPeer) listener.onBodyIgnored();
    else listener.onBodyAbandoned();
  }

  #wait(decision: Decision, message: Buffer, start: number, end: number): void {
    const server = this.#server;
    const { awaitedMaxBytes = AWAITED_MAX_BYTES } = server.options;
    const bytes = end - start + WAIT_BYTES;
    if (server.awaitedBytes + bytes > awaitedMaxBytes) throw new Error('too many requests wait for their bodies');
    const headers = server.kept.take();
    headers.keep(message, start, end);
    this.#awaited = { decision, headers, bytes };
    server.awaitedBytes += bytes;
  }

  #endWait(): AwaitedBody | undefined {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    if (awaited !== undefined) this.#server.awaitedBytes -= awaited.bytes;
    return awaited;
  }

  #decideHeaders(bytes: Buffer, start: number, end: number): void {
    const { options, reader, view } = this.#server;
    const { listener, currentRuntime } = options;
    view.begin();
    const decision = new Decision(currentRuntime(), listener);
    const outcome = decision.decideHeaders(view, !reader.endOfStream);
    if (outcome === 'allow') {
      listener.onDecided(false);
      this.#call.finish(answerHeaders(decision.grants, false, view, decision));
    } else if (outcome === 'body') {
      this.#wait(decision, bytes, start, end);
      listener.onBodyAsked();
      this.#call.send(answerHeaders(decision.grants, true, view, decision));
    } else {
      listener.onDecided(true);
      this.#call.finish(answerBlock(outcome, decision.blockResponse, view));
    }
  }

  #decideBody({ decision, headers }: AwaitedBody, kind: ProcessingRequestKind): void {
    const { options, reader } = this.#server;
    const { view } = headers;
    const { listener } = options;
    if (kind !== 'requestBody' && kind !== 'requestTrailers') {
      listener.onBodyMissing();
      throw new Error(`${kind} came where the request's body was asked for`);
    }
    // Trailers: there was no body.
    const bytes = reader.body;
    const isEnd = reader.endOfStream || kind === 'requestTrailers';
    const stated = isEnd ? undefined : statedLength(view);
    const isCut = stated !== undefined && stated > bytes.length;
    // Without a declared length it is unknown; a body that is long enough to have filled a buffer counts as truncated.
    const isDoubtful = !isEnd && stated === undefined && bytes.length >= SMALLEST_BUFFER_BYTES;
    const isComplete = !isCut && !isDoubtful;
    listener.onBodyArrived(!isCut);
    if (isCut) listener.onBodyCut(bytes.length <= decision.bodyMaxBytes);
    listener.onBodyInspected(bytes.length);
    const received = new ReceivedBody({ bytes, isComplete, encodings: view.header('content-encoding') });
    const block = decision.decideBody(view, received);
    listener.onDecided(block !== undefined);
    if (block !== undefined) this.#call.finish(answerBlock(block, decision.blockResponse, view));
    else this.#call.finish(answerBody(kind, decision.detectedBy));
  }
}
