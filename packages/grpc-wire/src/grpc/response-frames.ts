import { createFrame, FLAG, FRAME } from '../http2/protocol.ts';
import { STATUS, STATUS_MAX } from './status.ts';

/**
 * Responses consist of frames that are encoded once, with literals and static-table entries only. They do not depend on
 * the connection; only the stream id differs.
 */
const STATUS_200_INDEXED = Buffer.of(0x88);
const CONTENT_TYPE_INDEX = 31;
const STATUS_INDEX = 8;

const GRPC_HEAD = Buffer.concat([STATUS_200_INDEXED, encodeIndexedName(CONTENT_TYPE_INDEX, 'application/grpc')]);

/** Response headers, sent before the first message. */
export const RESPONSE_HEADERS = createFrame(FRAME.headers, FLAG.endHeaders, 0, GRPC_HEAD);

const ENDING = FLAG.endHeaders | FLAG.endStream;
const STATUSES = Array.from({ length: STATUS_MAX + 1 }, (_, status) => encodeLiteral('grpc-status', String(status)));
const TRAILERS = STATUSES.map((field) => createFrame(FRAME.headers, ENDING, 0, field));
const TRAILERS_ONLY = STATUSES.map((field) => createFrame(FRAME.headers, ENDING, 0, Buffer.concat([GRPC_HEAD, field])));

/** The frame that ends a call whose headers were sent. A status outside 0-16 becomes INTERNAL. */
export function trailersOf(status: number): Buffer {
  return TRAILERS[status] ?? (TRAILERS[STATUS.internal] as Buffer);
}

/** The frame that ends a call without any response. */
export function trailersOnlyOf(status: number): Buffer {
  return TRAILERS_ONLY[status] ?? (TRAILERS_ONLY[STATUS.internal] as Buffer);
}

/** A plain HTTP response to a request that is not a gRPC call (gRPC over HTTP/2, "Responses"). */
export function httpAnswer(status: number): Buffer {
  return createFrame(FRAME.headers, ENDING, 0, encodeIndexedName(STATUS_INDEX, String(status)));
}

/** Literal without indexing, with a name from the static table (RFC 7541 section 6.2.2). */
function encodeIndexedName(index: number, value: string): Buffer {
  const head = index < 15 ? [index] : [15, index - 15];
  return Buffer.concat([Buffer.of(...head, value.length), Buffer.from(value, 'latin1')]);
}

function encodeLiteral(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.of(0, name.length),
    Buffer.from(name, 'latin1'),
    Buffer.of(value.length),
    Buffer.from(value, 'latin1'),
  ]);
}
