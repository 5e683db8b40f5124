import type { ControlFramesPort } from './connection-ports.ts';
import { WORK } from './flood-guard.ts';
import { DRAIN_PING } from './preface.ts';
import { ERROR_CODE, FLAG, FRAME, MAX_WINDOW_BYTES, readUint31 } from './protocol.ts';
import { readSettings } from './settings.ts';

const PING_BYTES = 8;
const GOAWAY_MIN_BYTES = 8;
const PRIORITY_BYTES = 5;
const SETTING_BYTES = 6;

/** Handles frames about the connection and frames that a server ignores (RFC 9113 section 6). */
export class ControlFrames {
  readonly #connection: ControlFramesPort;
  #isAcknowledged = false;
  /** The peer's preface is complete. */
  hasSettings = false;

  constructor(connection: ControlFramesPort) {
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
        // Frames of unknown type are ignored (section 5.5).
        this.#connection.overspends('ignored_frames', WORK.ignoredFrame);
    }
  }

  #onSettings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection;
    if (id !== 0) {
      connection.fail(ERROR_CODE.protocol, 'SETTINGS on a stream');
      return;
    }
    const work = WORK.settings + Math.floor((end - start) / WORK.settingsBytes);
    if (connection.overspends('settings', work)) return;
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
    if (settings.headerTable !== undefined) connection.sender.limitTable(settings.headerTable);
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

  /** The change applies to open streams, whose credit may become negative (section 6.9.2). */
  #changeWindows(initialWindow: number): void {
    const connection = this.#connection;
    const difference = initialWindow - connection.peerStreamWindow;
    connection.peerStreamWindow = initialWindow;
    if (difference === 0 || connection.streams.size === 0) return;
    // A frame of fifteen bytes changes every window. With many streams, a few such frames would block all other
    // connections.
    if (connection.overspends('window_updates', WORK.windowChange + connection.streams.size)) return;
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
    if (connection.overspends('pings', WORK.ping)) return;
    if ((flags & FLAG.ack) === 0) connection.sender.acknowledgePing(bytes, start);
    else if (DRAIN_PING.compare(bytes, start, end) === 0) connection.onDrainPingAnswered();
  }

  /** The peer will open no more streams. Its open streams continue, and it closes the connection. */
  #onGoaway(id: number, length: number): void {
    if (id !== 0) this.#connection.fail(ERROR_CODE.protocol, 'GOAWAY on a stream');
    else if (length < GOAWAY_MIN_BYTES) this.#connection.fail(ERROR_CODE.frameSize, 'GOAWAY of a wrong size');
    else this.#connection.overspends('ignored_frames', WORK.ignoredFrame);
  }

  #onPriority(id: number, length: number): void {
    const connection = this.#connection;
    if (id === 0) {
      connection.fail(ERROR_CODE.protocol, 'PRIORITY without a stream');
      return;
    }
    if (connection.overspends('ignored_frames', WORK.ignoredFrame) || length === PRIORITY_BYTES) return;
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
    if (connection.overspends('window_updates', WORK.windowUpdate)) return;
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
