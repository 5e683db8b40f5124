import type { StreamFramesPort } from './connection-ports.ts';
import { FLOOD, WORK } from './flood-guard.ts';
import { BlockAssembly, HeaderBlocks, type HeaderJudge } from './header-blocks.ts';
import { DEFAULT_WINDOW_BYTES, ERROR_CODE, FLAG, FRAME } from './protocol.ts';
import type { Http2Stream } from './stream.ts';

const PRIORITY_BYTES = 5;

/**
 * Handles the frames of streams: HEADERS, CONTINUATION, DATA, RST_STREAM (RFC 9113 sections 5.1, 6.1, 6.2, 6.4, 6.10,
 * 8.1).
 */
export class StreamFrames {
  readonly #connection: StreamFramesPort;
  readonly #blocks: HeaderBlocks;
  readonly #assembly = new BlockAssembly();
  readonly #windowSize: number;
  readonly #streamWindowSize: number;
  #window: number;

  constructor(connection: StreamFramesPort, judge: HeaderJudge) {
    this.#connection = connection;
    this.#blocks = new HeaderBlocks(judge);
    this.#windowSize = Math.max(connection.limits.connectionWindowBytes, DEFAULT_WINDOW_BYTES);
    this.#streamWindowSize = connection.limits.streamWindowBytes;
    this.#window = this.#windowSize;
  }

  get isInBlock(): boolean {
    return this.#assembly.id !== 0;
  }

  get blockId(): number {
    return this.#assembly.id;
  }

  get blockSinceMs(): number {
    return this.#assembly.sinceMs;
  }

  onSettingsAcknowledged(): void {
    this.#blocks.limitTable(0);
  }

  onHeaders(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if ((id & 1) === 0) {
      connection.fail(ERROR_CODE.protocol, 'HEADERS on a stream that is not the peer’s');
      return;
    }
    let from = start;
    let to = end;
    if ((flags & FLAG.padded) !== 0) {
      if (from === to) {
        connection.fail(ERROR_CODE.frameSize, 'HEADERS without its padding length');
        return;
      }
      to -= bytes[from] as number;
      from += 1;
    }
    if ((flags & FLAG.priority) !== 0) from += PRIORITY_BYTES;
    // The frame is too short for its padding (section 6.2) or for its priority (section 4.2).
    if (from > to) {
      const code = from > end ? ERROR_CODE.frameSize : ERROR_CODE.protocol;
      connection.fail(code, 'HEADERS shorter than its fields');
      return;
    }
    const isEndStream = (flags & FLAG.endStream) !== 0;
    if ((flags & FLAG.endHeaders) !== 0) {
      this.#onBlock(id, isEndStream, bytes, from, to);
      return;
    }
    this.#assembly.begin(id, isEndStream, connection.nowMs);
    this.#assembly.append(bytes, from, to);
  }

  onContinuation(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    const assembly = this.#assembly;
    if (id === 0 || !this.isInBlock) {
      connection.fail(ERROR_CODE.protocol, 'CONTINUATION without HEADERS');
      return;
    }
    if (connection.overspends('continuations', WORK.continuation)) return;
    if (assembly.length + end - start > connection.limits.headerBlockBytes) {
      connection.failByLimit('header_block');
      return;
    }
    assembly.append(bytes, start, end);
    if ((flags & FLAG.endHeaders) === 0) return;
    const { bytes: block, length, isEndStream } = assembly;
    assembly.end();
    this.#onBlock(id, isEndStream, block, 0, length);
  }

  #onBlock(id: number, isEndStream: boolean, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (id > connection.lastId) {
      connection.lastId = id;
      this.#onRequest(id, isEndStream, bytes, start, end);
      return;
    }
    const stream = connection.streams.get(id);
    // A block that is not used must still be decoded to keep the tables of the two sides equal.
    const error = this.#blocks.skip(bytes, start, end);
    if (error !== undefined) {
      connection.fail(ERROR_CODE.compression, error);
      return;
    }
    if (stream !== undefined) this.#onTrailers(stream, isEndStream);
    else if (connection.resetByUs.has(id)) connection.overspends('late_frames', WORK.lateHeaders);
    else if (connection.ended.has(id)) connection.fail(ERROR_CODE.streamClosed, 'HEADERS on a closed stream');
    // After a thousand resets at once, trailers that were in flight are not an error of the peer (section 5.1,
    // "closed").
    else if (connection.resetByUs.mayHaveForgotten(id)) connection.overspends('late_frames', WORK.lateHeaders);
    else connection.fail(ERROR_CODE.protocol, 'a stream id that does not grow');
  }

  #onRequest(id: number, isEndStream: boolean, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    const verdict = this.#blocks.readRequest(bytes, start, end);
    if (typeof verdict === 'string') {
      connection.fail(ERROR_CODE.compression, verdict);
      return;
    }
    if (verdict.kind === 'malformed') {
      connection.streamError(id, ERROR_CODE.protocol, verdict.reason);
      return;
    }
    if (connection.refusesStreams || this.#isCrowded()) {
      connection.streamError(id, ERROR_CODE.refusedStream, 'a stream more than we take');
      return;
    }
    const stream = connection.openStream(id, verdict);
    if (isEndStream && !stream.isGone) this.#onRemoteEnd(stream);
  }

  /** Whether one more stream exceeds a limit; counts it if so. */
  #isCrowded(): boolean {
    const { streams, limits, counters } = this.#connection;
    const share = limits.serverStreams / counters.openConnections;
    if (streams.size >= limits.streams) counters.limits.streams += 1;
    else if (counters.openStreams >= limits.serverStreams && streams.size >= share) counters.limits.server_streams += 1;
    else return false;
    return true;
  }

  #onTrailers(stream: Http2Stream, isEndStream: boolean): void {
    const connection = this.#connection;
    if (stream.isRemoteEnded) {
      connection.streamError(stream.id, ERROR_CODE.streamClosed, 'HEADERS behind the end of the stream');
      return;
    }
    if (!isEndStream) {
      connection.streamError(stream.id, ERROR_CODE.protocol, 'trailers that do not end the stream');
      return;
    }
    const fault = this.#blocks.trailersFault;
    if (fault !== undefined) {
      connection.streamError(stream.id, ERROR_CODE.protocol, fault);
      return;
    }
    this.#onRemoteEnd(stream);
  }

  onData(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (id === 0) {
      connection.fail(ERROR_CODE.protocol, 'DATA without a stream');
      return;
    }
    // The whole payload counts, including padding, whatever happens to the stream (section 6.9).
    const length = end - start;
    this.#window -= length;
    if (this.#window < 0) {
      connection.fail(ERROR_CODE.flowControl, 'DATA beyond the window of the connection');
      return;
    }
    if (this.#window < this.#windowSize >>> 1) {
      connection.sender.sendNumber(FRAME.windowUpdate, 0, this.#windowSize - this.#window);
      this.#window = this.#windowSize;
    }
    let from = start;
    let to = end;
    if ((flags & FLAG.padded) !== 0) {
      if (length === 0) {
        connection.fail(ERROR_CODE.frameSize, 'DATA without its padding length');
        return;
      }
      to -= bytes[from] as number;
      from += 1;
      if (from > to) {
        connection.fail(ERROR_CODE.protocol, 'DATA shorter than its padding');
        return;
      }
    }
    const stream = connection.streams.get(id);
    if (stream === undefined) {
      this.#onLateData(id);
      return;
    }
    if (stream.isRemoteEnded) {
      connection.streamError(id, ERROR_CODE.streamClosed, 'DATA behind the end of the stream');
      return;
    }
    stream.receiveWindow -= length;
    if (stream.receiveWindow < 0) {
      connection.streamError(id, ERROR_CODE.flowControl, 'DATA beyond the window of its stream');
      return;
    }
    const isEndStream = (flags & FLAG.endStream) !== 0;
    if (from === to) {
      if (!isEndStream && connection.overspends('empty_data', WORK.emptyData)) return;
    } else {
      connection.guard.earn();
      if (!this.#take(stream, bytes, from, to)) return;
    }
    if (isEndStream) this.#onRemoteEnd(stream);
    else if (stream.receiveWindow < this.#streamWindowSize >>> 1) this.#giveCredit(stream);
  }

  #take(stream: Http2Stream, bytes: Buffer, from: number, to: number): boolean {
    if (stream.contentLeft >= 0) {
      stream.contentLeft -= to - from;
      if (stream.contentLeft < 0) {
        this.#connection.streamError(stream.id, ERROR_CODE.protocol, 'more DATA than its content-length');
        return false;
      }
    }
    stream.onData(bytes, from, to);
    return !stream.isGone;
  }

  #giveCredit(stream: Http2Stream): void {
    if (!stream.isListening) return;
    this.#connection.sender.sendNumber(FRAME.windowUpdate, stream.id, this.#streamWindowSize - stream.receiveWindow);
    stream.receiveWindow = this.#streamWindowSize;
  }

  #onLateData(id: number): void {
    const connection = this.#connection;
    if (id > connection.lastId || (id & 1) === 0) connection.fail(ERROR_CODE.protocol, 'DATA on an idle stream');
    else if (connection.resetByUs.has(id)) connection.overspends('late_frames', WORK.lateFrame);
    else connection.streamError(id, ERROR_CODE.streamClosed, 'DATA on a closed stream');
  }

  #onRemoteEnd(stream: Http2Stream): void {
    const connection = this.#connection;
    stream.isRemoteEnded = true;
    if (stream.contentLeft > 0) {
      connection.streamError(stream.id, ERROR_CODE.protocol, 'less DATA than its content-length');
      return;
    }
    if (stream.isLocalEnded) connection.forget(stream);
    else stream.onRemoteEnd();
  }

  onRstStream(id: number, length: number): void {
    const connection = this.#connection;
    if (length !== 4) {
      connection.fail(ERROR_CODE.frameSize, 'RST_STREAM of a wrong size');
      return;
    }
    if (id > connection.lastId || (id & 1) === 0) {
      connection.fail(ERROR_CODE.protocol, 'RST_STREAM on an idle stream');
      return;
    }
    const stream = connection.streams.get(id);
    if (stream === undefined) return;
    connection.forget(stream);
    // Envoy ends every exchange this way, thousands of times a second. Only a reset before any response can be an
    // attack (CVE-2023-44487).
    if (stream.isAnswered) connection.counters.resetsAnswered += 1;
    else connection.counters.resetsUnanswered += 1;
    const isAbuse = !stream.isAnswered && connection.guard.isOver(FLOOD.unansweredResets);
    stream.onReset(true);
    if (isAbuse) connection.failByLimit('unanswered_resets');
  }
}
