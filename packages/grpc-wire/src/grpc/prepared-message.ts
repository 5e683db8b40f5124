import { createFrame, FRAME, FRAME_HEAD_BYTES, MAX_FRAME_BYTES, writeUint32 } from '../http2/protocol.ts';
import { RESPONSE_HEADERS, trailersOf } from './response-frames.ts';
import { STATUS } from './status.ts';

/** A compressed-flag byte and a 32-bit length (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const PREFIX_BYTES = 5;

/** A message ready to leave on any stream of any connection, any number of times. Made by `prepareMessage`. */
export interface PreparedMessage {
  /** Prefix and message: the payload of DATA. */
  readonly payload: Buffer;
  /** HEADERS, DATA and trailers of the commonest answer, ids 0; undefined where the message needs several frames. */
  readonly answer: Buffer | undefined;
  /** Where the trailers begin in `answer`. */
  readonly trailersAt: number;
}

const TRAILERS_OK = trailersOf(STATUS.ok);

/** Copies `bytes`, an encoded message of at most 4 GiB. */
export function prepareMessage(bytes: Uint8Array): PreparedMessage {
  const payload = Buffer.allocUnsafeSlow(PREFIX_BYTES + bytes.length);
  payload[0] = 0;
  writeUint32(payload, 1, bytes.length);
  payload.set(bytes, PREFIX_BYTES);
  if (payload.length > MAX_FRAME_BYTES) return { payload, answer: undefined, trailersAt: 0 };
  const answer = Buffer.concat([RESPONSE_HEADERS, createFrame(FRAME.data, 0, 0, payload), TRAILERS_OK]);
  return { payload, answer, trailersAt: RESPONSE_HEADERS.length + FRAME_HEAD_BYTES + payload.length };
}

/** Where DATA begins in an `answer`. */
export const ANSWER_DATA_AT = RESPONSE_HEADERS.length;
