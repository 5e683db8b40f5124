import { Decision, type DecisionListener, type PolicyRuntime, ReceivedBody, statedLength } from '@flotilla/decision';
import { type Call, type CallHandler, type ProcessingRequestKind, ProcessingRequestReader } from '@flotilla/grpc-wire';
import type { PhaseTiming } from '../metrics/phase-timing.ts';
import type { WiringSignals } from '../self-test/wiring-signals.ts';
import { answerHeaders, CONTINUE_BODY, CONTINUE_TRAILERS } from './answers.ts';
import { answerBlock } from './block-answers.ts';
import { type KeptHeaders, KeptHeadersPool } from './kept-headers.ts';
import { RecentReadings } from './recent-readings.ts';
import { RequestHeaders } from './request-headers.ts';

/** gRPC status (grpc/status.proto): Envoy, failure mode closed, turns it into an error of the request. */
const INTERNAL = 13;

/**
 * A body message that does not end the request is whole where trailers follow, and cut where Envoy's buffer was full. The
 * generated configuration has buffers larger than every cap, but an Envoy of one's own may have any: nobody sets one
 * below this.
 */
const SMALLEST_BUFFER_BYTES = 16 * 1024;

/**
 * Bytes of headers that may wait for bodies in one thread. Clients choose how long they wait, and 60 KiB of them each: without
 * a bound a few thousand slow uploads end the filter, and with it every request.
 */
const AWAITED_MAX_BYTES = 128 * 1024 * 1024;
/** What a waiting exchange takes beside its headers (measured: 3 KB). */
const WAIT_BYTES = 4096;

/** Hears how requests end. Called synchronously; must not throw. */
export interface ExchangeListener extends DecisionListener, WiringSignals {
  onDecided(isBlocked: boolean): void;
  /** Bytes of a body that engines asked for, as it came. */
  onBodyInspected(bytes: number): void;
}

export interface ExchangeOptions {
  /** Trusted proxies in front of Envoy that append to X-Forwarded-For. */
  readonly trustedHops: number;
  readonly listener: ExchangeListener;
  readonly timing?: PhaseTiming;
  /** The bundle that holds for a request that begins now. */
  readonly currentRuntime: () => PolicyRuntime;
  /** What requests that wait for their bodies may take; more of them are errors. For tests. */
  readonly awaitedMaxBytes?: number;
}

/** The exchanges of one thread. They are decided one after the other, so they share a reader and a view. */
export class ExchangeServer {
  readonly options: ExchangeOptions;
  readonly reader = new ProcessingRequestReader();
  readonly view: RequestHeaders;
  readonly kept: KeptHeadersPool;
  /** Of headers whose bodies are awaited. */
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

/** A request whose headers went on and whose body is awaited. Has the headers to itself: others come in between. */
interface AwaitedBody {
  readonly decision: Decision;
  readonly headers: KeptHeaders;
  readonly bytes: number;
}

/**
 * One request of Envoy, one call.
 *
 * - *new*: nothing came yet. The request's headers must come first: a proxy that hides them would get a pass for a
 *   request that nobody looked at.
 * - *waiting*: the headers went on, and the answer to them asked for the body. The next message is the body (or trailers,
 *   where there was none); anything else means that Envoy did not do as asked, and fails the request.
 * - *over*: the last answer left. Exchanges are ended behind it, because an open one is a tie: Envoy breaks off every
 *   request whose exchange is open when the filter dies.
 *
 * The bundle that holds when the headers come decides the whole request.
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
    // Envoy lets a request go on when its exchange ends well, also before any answer.
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
      this.#call.finish(answerHeaders(decision.grants, false, view));
    } else if (outcome === 'body') {
      this.#wait(decision, bytes, start, end);
      listener.onBodyAsked();
      this.#call.send(answerHeaders(decision.grants, true, view));
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
    // Of trailers: there was no body.
    const bytes = reader.body;
    const isEnd = reader.endOfStream || kind === 'requestTrailers';
    const stated = isEnd ? undefined : statedLength(view);
    const isCut = stated !== undefined && stated > bytes.length;
    // Without a stated length nobody can tell: what is long enough to have filled a buffer is taken as cut.
    const isDoubtful = !isEnd && stated === undefined && bytes.length >= SMALLEST_BUFFER_BYTES;
    const isComplete = !isCut && !isDoubtful;
    listener.onBodyArrived(!isCut);
    if (isCut) listener.onBodyCut(bytes.length <= decision.bodyMaxBytes);
    listener.onBodyInspected(bytes.length);
    const received = new ReceivedBody({ bytes, isComplete, encodings: view.header('content-encoding') });
    const block = decision.decideBody(view, received);
    listener.onDecided(block !== undefined);
    if (block !== undefined) this.#call.finish(answerBlock(block, decision.blockResponse, view));
    else this.#call.finish(kind === 'requestBody' ? CONTINUE_BODY : CONTINUE_TRAILERS);
  }
}
