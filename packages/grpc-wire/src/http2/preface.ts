import type { WireLimits } from './limits.ts';
import { createFrame, DEFAULT_WINDOW_BYTES, FRAME, MAX_FRAME_BYTES, SETTING, writeUint32 } from './protocol.ts';

/** The settings we announce, and the credit of the connection, which settings cannot raise (RFC 9113 section 6.9.2). */
export function encodeServerPreface(limits: WireLimits): Buffer {
  const settings = [
    // Without a table, the header block of a call is always the same bytes, which are recognized without decoding.
    [SETTING.headerTableSize, 0],
    [SETTING.maxConcurrentStreams, limits.streams],
    [SETTING.initialWindowSize, limits.streamWindowBytes],
    [SETTING.maxFrameSize, MAX_FRAME_BYTES],
    [SETTING.maxHeaderListSize, limits.headerListBytes],
  ] as const;
  const payload = Buffer.alloc(settings.length * 6);
  settings.forEach(([id, value], n) => {
    payload.writeUInt16BE(id, n * 6);
    payload.writeUInt32BE(value, n * 6 + 2);
  });
  const credit = Buffer.alloc(4);
  writeUint32(credit, 0, limits.connectionWindowBytes - DEFAULT_WINDOW_BYTES);
  const frames = [createFrame(FRAME.settings, 0, 0, payload)];
  if (limits.connectionWindowBytes > DEFAULT_WINDOW_BYTES) frames.push(createFrame(FRAME.windowUpdate, 0, 0, credit));
  return Buffer.concat(frames);
}

/** The payload of GOAWAY. */
export function encodeGoaway(lastId: number, code: number, reason: string): Buffer {
  const payload = Buffer.alloc(8 + reason.length);
  writeUint32(payload, 0, lastId);
  writeUint32(payload, 4, code);
  payload.write(reason, 8, 'latin1');
  return payload;
}

/** The answer proves that the peer has processed our first GOAWAY, so it should open no further streams. */
export const DRAIN_PING = Buffer.from('drained?');

export function encodePing(payload: Buffer): Buffer {
  return createFrame(FRAME.ping, 0, 0, payload);
}
