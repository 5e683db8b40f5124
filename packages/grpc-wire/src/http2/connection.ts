import type { ConnectionLink } from './connection-link.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { ControlFramesPort, StreamFramesPort, TimeLimitsPort } from './connection-ports.ts';
import { ControlFrames } from './control-frames.ts';
import type { WireCounters, WireLimitName } from './counters.ts';
import { FLOOD, FLOOD_LIMITS, FloodGuard } from './flood-guard.ts';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import type { WireLimits } from './limits.ts';
import { PartialBytes } from './partial-bytes.ts';
import { DRAIN_PING, encodeGoaway, encodePing, encodeServerPreface } from './preface.ts';
import { ERROR_CODE, FRAME, MAX_STREAM_ID } from './protocol.ts';
import type { RequestVerdict } from './request-verdict.ts';
import { Sender } from './sender.ts';
import type { Http2Stream } from './stream.ts';
import { StreamFrames } from './stream-frames.ts';
import type { StreamPort } from './stream-port.ts';
import { RecentIds, StreamTable } from './stream-table.ts';
import { TimeLimits } from './time-limits.ts';

/** How many closed ids are remembered, to identify the peer's error when it uses one again. */
const REMEMBERED_ENDS = 256;
const REMEMBERED_RESETS = 1024;

/** How long the peer has to answer the PING after the first GOAWAY. */
const DRAIN_PING_WAIT_MS = 1000;

/**
 * The server side of one HTTP/2 connection (RFC 9113). States: open; draining (`shutdown`: the first GOAWAY still
 * accepts streams that are on their way to us; once the peer has seen it, a second one refuses new streams); closed
 * (drained, connection error, or lost: nothing is read or written any more, and every stream has had its `onReset`).
 */
export class Connection
  implements FrameSink, StreamPort<Http2Stream>, ControlFramesPort, StreamFramesPort, TimeLimitsPort
{
  readonly limits: WireLimits;
  readonly counters: WireCounters;
  readonly sender: Sender<Http2Stream>;
  readonly streams = new StreamTable<Http2Stream>();
  readonly guard: FloodGuard;
  readonly partialBytes: PartialBytes;
  /** The most recent streams that both sides ended or the peer reset, and those that we reset. */
  readonly ended = new RecentIds(REMEMBERED_ENDS);
  readonly resetByUs = new RecentIds(REMEMBERED_RESETS);
  /** SETTINGS_INITIAL_WINDOW_SIZE of the peer. */
  peerStreamWindow = 65_535;
  lastId = 0;
  /** Number of streams that have not ended on our side. */
  running = 0;
  nowMs: number;
  readonly #options: ConnectionOptions;
  readonly #link: ConnectionLink;
  readonly #reader = new FrameReader(this);
  readonly #control = new ControlFrames(this);
  readonly #streamFrames: StreamFrames;
  readonly #time: TimeLimits;
  #state: 'open' | 'draining' | 'closed' = 'open';
  /** The last stream id of the second GOAWAY; 0 before it. */
  #finalId = 0;
  #drainingSinceMs = 0;
  #isReading = true;

  constructor(options: ConnectionOptions, nowMs: number) {
    this.#options = options;
    this.#link = options.link;
    this.limits = options.limits;
    this.counters = options.counters;
    this.nowMs = nowMs;
    this.sender = new Sender(options.link, nowMs);
    this.guard = new FloodGuard(options.limits, nowMs);
    this.partialBytes = new PartialBytes(options.limits, options.counters);
    this.#time = new TimeLimits(this, options.link, nowMs);
    this.#streamFrames = new StreamFrames(this, options.judge);
    this.sender.sendRaw(encodeServerPreface(options.limits));
    this.sender.flush();
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Handles bytes of the peer: `bytes[0..end)`, valid during the call. The resulting frames leave in one write. */
  read(bytes: Buffer, end: number): void {
    if (this.#state === 'closed') return;
    this.counters.bytesRead += end;
    this.#time.hasRead = true;
    this.sender.cork();
    this.#reader.read(bytes, end);
    if (this.isClosed) return;
    this.sender.uncork();
    this.#checkUnread();
    this.#endIfDrained();
  }

  onFrame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (this.#streamFrames.isInBlock && (type !== FRAME.continuation || id !== this.#streamFrames.blockId)) {
      this.fail(ERROR_CODE.protocol, 'a frame within a header block');
    } else if (!this.#control.hasSettings && type !== FRAME.settings) {
      this.fail(ERROR_CODE.protocol, 'a first frame other than SETTINGS');
    } else if (type === FRAME.data) this.#streamFrames.onData(flags, id, bytes, start, end);
    else if (type === FRAME.headers) this.#streamFrames.onHeaders(flags, id, bytes, start, end);
    else if (type === FRAME.rstStream) this.#streamFrames.onRstStream(id, end - start);
    else if (type === FRAME.continuation) this.#streamFrames.onContinuation(flags, id, bytes, start, end);
    else this.#control.onFrame(type, flags, id, bytes, start, end);
  }

  onBrokenFraming(fault: 'preface' | 'frame size'): void {
    if (fault === 'preface') this.fail(ERROR_CODE.protocol, 'no HTTP/2 preface');
    else this.fail(ERROR_CODE.frameSize, 'a frame over the size we take');
  }

  onSettingsAcknowledged(): void {
    this.#streamFrames.onSettingsAcknowledged();
  }

  openStream(id: number, verdict: RequestVerdict): Http2Stream {
    const stream = this.#options.openStream(this, id, verdict);
    this.streams.add(stream);
    this.counters.openStreams += 1;
    this.running += 1;
    stream.begin();
    return stream;
  }

  /** Whether new streams are refused because the second GOAWAY was sent. */
  get refusesStreams(): boolean {
    return this.#finalId !== 0;
  }

  onLocalEnd(stream: Http2Stream): void {
    if (stream.isLocalEnded || stream.isGone) return;
    stream.isLocalEnded = true;
    stream.endedAtMs = this.nowMs;
    this.running -= 1;
    if (stream.isRemoteEnded) this.forget(stream);
    if (this.#state === 'draining') queueMicrotask(() => this.#endIfDrained());
  }

  /** Deletes a stream from the table after both sides ended it or the peer reset it. */
  forget(stream: Http2Stream): void {
    this.#remove(stream);
    this.ended.add(stream.id);
  }

  #remove(stream: Http2Stream): void {
    if (stream.isGone) return;
    stream.isGone = true;
    if (!stream.isLocalEnded) this.running -= 1;
    this.sender.drop(stream);
    this.streams.delete(stream);
    this.counters.openStreams -= 1;
  }

  /** Sends RST_STREAM. The rest of the connection is not affected. */
  reset(stream: Http2Stream, code: number): void {
    if (stream.isGone) return;
    this.#remove(stream);
    this.resetByUs.add(stream.id);
    this.sender.sendNumber(FRAME.rstStream, stream.id, code);
    stream.onReset(false);
  }

  /** Handles a stream error of the peer (RFC 9113 section 5.4.2); the stream may be gone. */
  streamError(id: number, code: number, reason: string): void {
    this.counters.streamErrors += 1;
    if (this.overrun(FLOOD.streamErrors)) return;
    this.#options.onError({ scope: 'stream', code, reason });
    const stream = this.streams.get(id);
    if (stream !== undefined) {
      this.reset(stream, code);
      return;
    }
    this.resetByUs.add(id);
    this.sender.sendNumber(FRAME.rstStream, id, code);
  }

  /** Ends only the call whose handler threw. */
  handlerError(code: number, cause: unknown): void {
    this.counters.handlerErrors += 1;
    this.#options.onError({ scope: 'handler', code, reason: 'a handler threw', cause });
  }

  /** Counts a frame of this kind. True: there were too many, and the connection has ended. */
  overrun(kind: number): boolean {
    if (!this.guard.isOver(kind)) return false;
    this.failByLimit(FLOOD_LIMITS[kind] as WireLimitName);
    return true;
  }

  /** Takes the work of a frame without data from the budget. True: the budget is used up and the connection has ended. */
  overspends(limit: WireLimitName, units: number): boolean {
    if (this.guard.spend(units)) return false;
    this.failByLimit(limit);
    return true;
  }

  failByLimit(limit: WireLimitName): void {
    this.counters.limits[limit] += 1;
    this.fail(ERROR_CODE.enhanceYourCalm, `over the limit: ${limit}`);
  }

  /** Ends the connection with an error (RFC 9113 section 5.4.1). */
  fail(code: number, reason: string): void {
    if (this.#state === 'closed') return;
    this.counters.connectionErrors += 1;
    this.sender.sendControl(FRAME.goaway, 0, encodeGoaway(this.lastId, code, reason));
    this.#close();
    this.#options.onError({ scope: 'connection', code, reason });
    this.#link.end();
  }

  /** The socket is gone. */
  lost(cause?: Error): void {
    if (this.#state === 'closed') return;
    this.#close();
    // A peer that only probes the port (Envoy's TCP health check, once a second) resets the socket while we send our
    // preface.
    if (cause !== undefined && this.#control.hasSettings) {
      this.#options.onError({ scope: 'connection', code: ERROR_CODE.noError, reason: 'the socket failed', cause });
    }
  }

  /** Closes without a GOAWAY, because the peer does not read. */
  #cut(limit: WireLimitName): void {
    this.counters.limits[limit] += 1;
    this.counters.connectionErrors += 1;
    this.#close();
    this.#options.onError({
      scope: 'connection',
      code: ERROR_CODE.enhanceYourCalm,
      reason: `over the limit: ${limit}`,
    });
    this.#link.destroy();
  }

  #close(): void {
    this.#state = 'closed';
    this.#reader.stop();
    this.sender.flushAll();
    for (const stream of this.streams.list()) {
      this.#remove(stream);
      stream.onReset(false);
    }
    this.sender.stop();
  }

  /** Refuses new calls and lets running ones finish; then the connection ends. */
  shutdown(): void {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    this.#drainingSinceMs = this.nowMs;
    if (!this.#control.hasSettings) {
      this.#close();
      this.#link.end();
      return;
    }
    this.sender.sendControl(FRAME.goaway, 0, encodeGoaway(MAX_STREAM_ID, ERROR_CODE.noError, 'shutting down'));
    this.sender.sendRaw(encodePing(DRAIN_PING));
  }

  /** The peer has processed our first GOAWAY. */
  onDrainPingAnswered(): void {
    if (this.#state !== 'draining' || this.#finalId !== 0) return;
    this.#finalId = MAX_STREAM_ID;
    this.sender.sendControl(FRAME.goaway, 0, encodeGoaway(this.lastId, ERROR_CODE.noError, 'shutting down'));
  }

  #endIfDrained(): void {
    if (this.#state !== 'draining' || this.#finalId === 0 || this.running > 0) return;
    this.#close();
    this.#link.end();
  }

  /** The socket has taken everything written to it. */
  onDrained(): void {
    if (this.#state === 'closed') return;
    this.sender.flush();
    this.#checkUnread();
  }

  #checkUnread(): void {
    const unread = this.#link.unreadBytes + this.sender.unsentBytes;
    if (unread > this.limits.unreadOutputBytes) this.#cut('unread_output');
    else if (this.sender.queuedBytes > this.limits.queuedConnectionBytes) this.#cut('queued_connection');
    else if (unread > this.limits.pauseOutputBytes !== !this.#isReading) {
      this.#isReading = !this.#isReading;
      this.#link.setReading(this.#isReading);
    }
  }

  /** Applies the time limits; called about once a second. `nowMs` is monotonic. */
  tick(nowMs: number): void {
    this.nowMs = nowMs;
    this.sender.nowMs = nowMs;
    if (this.#state === 'closed') return;
    this.guard.tick(nowMs);
    this.#checkUnread();
    const overrun = this.#time.overrun(nowMs, this.#streamFrames, this.#control.hasSettings);
    if (overrun === 'slow_reader') this.#cut(overrun);
    else if (overrun === 'preface') this.failByLimit(overrun);
    else if (overrun === 'idle' && this.#state === 'open') {
      this.counters.limits.idle += 1;
      this.shutdown();
    }
    if (this.isClosed) return;
    this.#time.resetStalled(nowMs);
    if (this.#state === 'draining' && nowMs - this.#drainingSinceMs >= DRAIN_PING_WAIT_MS) this.onDrainPingAnswered();
    this.#endIfDrained();
  }
}
