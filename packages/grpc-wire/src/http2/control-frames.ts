import type { Connection } from './connection.ts';
import { FLOOD } from './flood-guard.ts';
import { DRAIN_PING } from './preface.ts';
import { ERROR_CODE, FLAG, FRAME, MAX_WINDOW_BYTES, readUint31 } from './protocol.ts';
import { readSettings } from './settings.ts';

const PING_BYTES = 8;
const GOAWAY_MIN_BYTES = 8;
const PRIORITY_BYTES = 5;
const SETTING_BYTES = 6;

/** The frames that are about the connection, and those that mean nothing to a server (RFC 9113 section 6). */
export class ControlFrames {
  readonly #connection: Connection;
  #isAcknowledged = false;
  /** The peer's preface is complete. */
  hasSettings = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  onFrame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case FRAME.windowUpdate:
        this.#onWindowUpdate(id, bytes, start, end);
        return;
      case FRAME.settings:
        this.#onSettings(flags, id, bytes, start, end);
        return;
      case FRAME.ping:
        this.#onPing(flags, id, bytes, start, end);
        return;
      case FRAME.goaway:
        this.#onGoaway(id, end - start);
        return;
      case FRAME.priority:
        this.#onPriority(id, end - start);
        return;
      case FRAME.pushPromise:
        this.#connection.fail(ERROR_CODE.protocol, 'PUSH_PROMISE of a client');
        return;
      default:
        // Section 5.5: frames of unknown type are ignored.
        this.#connection.overrun(FLOOD.ignoredFrames);
    }
  }

  #onSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (id !== 0) {
      connection.fail(ERROR_CODE.protocol, 'SETTINGS on a stream');
      return;
    }
    if (connection.overrun(FLOOD.settings)) return;
    if ((flags & FLAG.ack) !== 0) {
      this.#onSettingsAck(end - start);
      return;
    }
    if ((end - start) % SETTING_BYTES !== 0) {
      connection.fail(ERROR_CODE.frameSize, 'SETTINGS of a wrong size');
      return;
    }
    const settings = readSettings(bytes, start, end);
    if ('code' in settings) {
      connection.fail(settings.code, settings.reason);
      return;
    }
    this.hasSettings = true;
    connection.sender.acknowledgeSettings();
    if (settings.initialWindow !== undefined) this.#changeWindows(settings.initialWindow);
  }

  #onSettingsAck(length: number): void {
    if (length !== 0) {
      this.#connection.fail(ERROR_CODE.frameSize, 'a SETTINGS acknowledgement with a payload');
      return;
    }
    if (!this.hasSettings) {
      this.#connection.fail(ERROR_CODE.protocol, 'a first frame other than SETTINGS');
      return;
    }
    if (this.#isAcknowledged) return;
    this.#isAcknowledged = true;
    this.#connection.onSettingsAcknowledged();
  }

  /** Section 6.9.2: the change applies to open streams, whose credit may become negative. */
  #changeWindows(initialWindow: number): void {
    const connection = this.#connection;
    const difference = initialWindow - connection.peerStreamWindow;
    connection.peerStreamWindow = initialWindow;
    if (difference === 0) return;
    // A frame of fifteen bytes moves every window: with many streams a few of them would hold up all other connections.
    if (connection.overrun(FLOOD.windowUpdates, connection.streams.size)) return;
    for (const stream of connection.streams.list()) {
      if (!connection.sender.addStreamCredit(stream, difference)) {
        connection.fail(ERROR_CODE.flowControl, 'an INITIAL_WINDOW_SIZE that overflows a window');
        return;
      }
    }
  }

  #onPing(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (id !== 0) {
      connection.fail(ERROR_CODE.protocol, 'PING on a stream');
      return;
    }
    if (end - start !== PING_BYTES) {
      connection.fail(ERROR_CODE.frameSize, 'PING of a wrong size');
      return;
    }
    if (connection.overrun(FLOOD.pings)) return;
    if ((flags & FLAG.ack) === 0) connection.sender.acknowledgePing(bytes, start);
    else if (DRAIN_PING.compare(bytes, start, end) === 0) connection.onDrainPingAnswered();
  }

  /** The peer will open no more streams; those it has go on, and it closes the connection. */
  #onGoaway(id: number, length: number): void {
    if (id !== 0) this.#connection.fail(ERROR_CODE.protocol, 'GOAWAY on a stream');
    else if (length < GOAWAY_MIN_BYTES) this.#connection.fail(ERROR_CODE.frameSize, 'GOAWAY of a wrong size');
    else this.#connection.overrun(FLOOD.ignoredFrames);
  }

  #onPriority(id: number, length: number): void {
    const connection = this.#connection;
    if (id === 0) {
      connection.fail(ERROR_CODE.protocol, 'PRIORITY without a stream');
      return;
    }
    if (connection.overrun(FLOOD.ignoredFrames) || length === PRIORITY_BYTES) return;
    // A stream that was never opened cannot be reset (section 6.4).
    if (id > connection.lastId) connection.fail(ERROR_CODE.frameSize, 'PRIORITY of a wrong size');
    else connection.streamError(id, ERROR_CODE.frameSize, 'PRIORITY of a wrong size');
  }

  #onWindowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (end - start !== 4) {
      connection.fail(ERROR_CODE.frameSize, 'WINDOW_UPDATE of a wrong size');
      return;
    }
    if (connection.overrun(FLOOD.windowUpdates)) return;
    const increment = readUint31(bytes, start);
    if (id === 0) {
      if (increment === 0) connection.fail(ERROR_CODE.protocol, 'WINDOW_UPDATE of nothing');
      else if (connection.sender.window + increment > MAX_WINDOW_BYTES) {
        connection.fail(ERROR_CODE.flowControl, 'a window that overflows');
      } else connection.sender.addCredit(increment);
      return;
    }
    if (id > connection.lastId || (id & 1) === 0) {
      connection.fail(ERROR_CODE.protocol, 'WINDOW_UPDATE on an idle stream');
      return;
    }
    const stream = connection.streams.get(id);
    if (stream === undefined) return;
    if (increment === 0) connection.streamError(id, ERROR_CODE.protocol, 'WINDOW_UPDATE of nothing');
    else if (!connection.sender.addStreamCredit(stream, increment)) {
      connection.streamError(id, ERROR_CODE.flowControl, 'a window that overflows');
    }
  }
}
