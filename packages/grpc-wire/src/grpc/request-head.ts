import type { FieldSink } from '../hpack/decoder.ts';
import type { RequestVerdict } from '../http2/request-verdict.ts';
import { FIELD, fieldOf, isFieldName, isFieldValue } from './fields.ts';
import { httpAnswer, trailersOnlyOf } from './response-frames.ts';
import { STATUS } from './status.ts';

const METHOD_NOT_ALLOWED = httpAnswer(405);
const UNSUPPORTED_MEDIA_TYPE = httpAnswer(415);
const HEADERS_TOO_LARGE = httpAnswer(431);
const UNIMPLEMENTED = trailersOnlyOf(STATUS.unimplemented);

/** The verdict on nearly every request. */
const PLAIN_CALL: RequestVerdict = {
  kind: 'call',
  answer: undefined,
  contentLength: -1,
  isEncoded: false,
  reason: '',
  limit: undefined,
};

const FIELD_OVERHEAD_BYTES = 32;
const CONTENT_LENGTH_MAX_DIGITS = 15;

/**
 * Validates the header block of a request by RFC 9113 sections 8.2 and 8.3, then as a call of the one method at `path`.
 * Ignores `grpc-timeout`: the client resets the stream at its deadline, and a timer would cost more than a response of
 * this service.
 */
export class RequestHead implements FieldSink {
  readonly #path: Buffer;
  readonly #listLimit: number;
  #isTrailers = false;
  #seen = 0;
  #hasRegular = false;
  #listBytes = 0;
  #malformed: string | undefined;
  #isPost = false;
  #isConnect = false;
  #isPath = false;
  #isGrpc = false;
  #isEncoded = false;
  #contentLength = -1;

  constructor(path: string, headerListBytes: number) {
    this.#path = Buffer.from(path, 'latin1');
    this.#listLimit = headerListBytes;
  }

  begin(isTrailers: boolean): void {
    this.#isTrailers = isTrailers;
    this.#seen = 0;
    this.#hasRegular = false;
    this.#listBytes = 0;
    this.#malformed = undefined;
    this.#isPost = false;
    this.#isConnect = false;
    this.#isPath = false;
    this.#isGrpc = false;
    this.#isEncoded = false;
    this.#contentLength = -1;
  }

  onField(
    name: Uint8Array,
    nameStart: number,
    nameEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    this.#listBytes += nameEnd - nameStart + valueEnd - valueStart + FIELD_OVERHEAD_BYTES;
    // The decoder still decodes the rest to keep the tables in sync, but it is not checked.
    if (this.#malformed !== undefined || this.#listBytes > this.#listLimit) return;
    if (!isFieldName(name, nameStart, nameEnd)) this.#malformed = 'a header name with forbidden characters';
    else if (!isFieldValue(value, valueStart, valueEnd)) this.#malformed = 'a header value with forbidden characters';
    else if (name[nameStart] === 0x3a) this.#onPseudo(fieldOf(name, nameStart, nameEnd), value, valueStart, valueEnd);
    else this.#onRegular(fieldOf(name, nameStart, nameEnd), value, valueStart, valueEnd);
  }

  /** The error in the trailers, if any. */
  get trailersFault(): string | undefined {
    return this.#malformed ?? (this.#listBytes > this.#listLimit ? 'trailers over the limit' : undefined);
  }

  verdict(): RequestVerdict {
    if (this.#malformed === undefined && this.#listBytes > this.#listLimit) {
      return { ...this.#refuse(HEADERS_TOO_LARGE, 'a header list over the limit'), limit: 'header_list' };
    }
    const fault = this.#malformed ?? this.#missing();
    if (fault !== undefined) return this.#judge('malformed', undefined, fault);
    if (!this.#isPost) return this.#refuse(METHOD_NOT_ALLOWED, 'a method other than POST');
    if (!this.#isGrpc) return this.#refuse(UNSUPPORTED_MEDIA_TYPE, 'a content type other than application/grpc');
    if (!this.#isPath) return this.#refuse(UNIMPLEMENTED, 'an unknown method');
    if (this.#contentLength === -1 && !this.#isEncoded) return PLAIN_CALL;
    return this.#judge('call', undefined, '');
  }

  #refuse(answer: Buffer, reason: string): RequestVerdict {
    return this.#judge('refuse', answer, reason);
  }

  #judge(kind: RequestVerdict['kind'], answer: Buffer | undefined, reason: string): RequestVerdict {
    const contentLength = this.#contentLength;
    return { kind, answer, contentLength, isEncoded: this.#isEncoded, reason, limit: undefined };
  }

  #missing(): string | undefined {
    if (!this.#has(FIELD.method)) return 'a request without :method';
    if (this.#isConnect) {
      return this.#has(FIELD.scheme) || this.#has(FIELD.path) ? 'a CONNECT with :scheme or :path' : undefined;
    }
    if (!this.#has(FIELD.scheme)) return 'a request without :scheme';
    if (!this.#has(FIELD.path)) return 'a request without :path';
    return undefined;
  }

  #has(field: number): boolean {
    return (this.#seen & (1 << field)) !== 0;
  }

  #onPseudo(field: number, value: Uint8Array, start: number, end: number): void {
    if (this.#isTrailers) this.#malformed = 'a pseudo-header in trailers';
    else if (this.#hasRegular) this.#malformed = 'a pseudo-header behind other headers';
    else if (field === FIELD.other || field === FIELD.status) this.#malformed = 'an unknown pseudo-header';
    else if (this.#has(field)) this.#malformed = 'a pseudo-header twice';
    this.#seen |= 1 << field;
    if (field === FIELD.method) {
      this.#isPost = equals(POST, value, start, end);
      this.#isConnect = equals(CONNECT, value, start, end);
    } else if (field === FIELD.path) {
      if (start === end) this.#malformed = 'an empty :path';
      this.#isPath = equals(this.#path, value, start, end);
    }
  }

  #onRegular(field: number, value: Uint8Array, start: number, end: number): void {
    this.#hasRegular = true;
    switch (field) {
      case FIELD.connectionSpecific:
        this.#malformed = 'a connection-specific header';
        return;
      case FIELD.te:
        if (!equals(TRAILERS, value, start, end)) this.#malformed = 'a te header other than "trailers"';
        return;
      case FIELD.contentType:
        this.#isGrpc = isGrpcType(value, start, end);
        return;
      case FIELD.contentLength:
        this.#onContentLength(value, start, end);
        return;
      case FIELD.grpcEncoding:
        this.#isEncoded = !equals(IDENTITY, value, start, end);
        return;
      default:
    }
  }

  #onContentLength(value: Uint8Array, start: number, end: number): void {
    let length = 0;
    for (let at = start; at < end; at++) {
      const digit = (value[at] as number) - 0x30;
      if (digit < 0 || digit > 9) this.#malformed = 'a content-length that is no number';
      length = length * 10 + digit;
    }
    if (start === end || end - start > CONTENT_LENGTH_MAX_DIGITS)
      this.#malformed = 'a content-length that is no number';
    if (this.#contentLength !== -1 && this.#contentLength !== length) this.#malformed = 'two different content-lengths';
    if (!this.#isTrailers) this.#contentLength = length;
  }
}

const POST = Buffer.from('POST');
const CONNECT = Buffer.from('CONNECT');
const TRAILERS = Buffer.from('trailers');
const IDENTITY = Buffer.from('identity');
const GRPC_TYPE = Buffer.from('application/grpc');

function equals(expected: Buffer, value: Uint8Array, start: number, end: number): boolean {
  if (end - start !== expected.length) return false;
  for (let n = 0; n < expected.length; n++) if (value[start + n] !== expected[n]) return false;
  return true;
}

/** Accepts `application/grpc`, also with `+proto` or parameters, but not `application/grpc-web`. */
function isGrpcType(value: Uint8Array, start: number, end: number): boolean {
  const next = start + GRPC_TYPE.length;
  if (!equals(GRPC_TYPE, value, start, Math.min(next, end))) return false;
  return next >= end || value[next] === 0x2b || value[next] === 0x3b;
}
