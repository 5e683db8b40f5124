import { createFrame, FRAME, FRAME_HEAD_BYTES, MAX_FRAME_BYTES, writeUint32 } from '../http2/protocol.ts';
import { RESPONSE_HEADERS, trailersOf } from './response-frames.ts';
import { STATUS } from './status.ts';

/** A compressed-flag byte and a 32-bit length (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const PREFIX_BYTES = 5;

/** A message that can be sent on any stream of any connection any number of times. Created by `prepareMessage`. */
export interface PreparedMessage {
  /** Prefix and message: the payload of the DATA frame. */
  readonly payload: Buffer;
  /**
   * HEADERS, DATA and trailers of a single-message response, with stream id 0; undefined if the message needs several
   * frames.
   */
  readonly answer: Buffer | undefined;
  /** Offset of the trailers in `answer`. */
  readonly trailersAt: number;
}

const TRAILERS_OK = trailersOf(STATUS.ok);

/** `bytes` is an encoded message of at most 4 GiB; it is copied. */
export function prepareMessage(bytes: Uint8Array): PreparedMessage {
  const payload = Buffer.allocUnsafeSlow(PREFIX_BYTES + bytes.length);
  payload[0] = 0;
  writeUint32(payload, 1, bytes.length);
  payload.set(bytes, PREFIX_BYTES);
  if (payload.length > MAX_FRAME_BYTES) return { payload, answer: undefined, trailersAt: 0 };
  const answer = Buffer.concat([RESPONSE_HEADERS, createFrame(FRAME.data, 0, 0, payload), TRAILERS_OK]);
  return { payload, answer, trailersAt: RESPONSE_HEADERS.length + FRAME_HEAD_BYTES + payload.length };
}

/** Offset of DATA in an `answer`. */
export const ANSWER_DATA_AT = RESPONSE_HEADERS.length;
