import { ProcessingRequestReader } from '@flotilla/grpc-wire';
import type { RecentReadings } from './recent-readings.ts';
import { RequestHeaders } from './request-headers.ts';

/** Maximum number of idle copies kept for reuse. */
const SPARE_MAX = 64;
/** Larger buffers are not kept. */
const BUFFER_MAX_BYTES = 16 * 1024;
const BUFFER_MIN_BYTES = 2 * 1024;

/** The headers of one request in their own memory, because other requests come before its body. */
export class KeptHeaders {
  readonly view: RequestHeaders;
  readonly #reader = new ProcessingRequestReader();
  #bytes = Buffer.allocUnsafeSlow(BUFFER_MIN_BYTES);

  constructor(recent: RecentReadings) {
    this.view = new RequestHeaders(this.#reader, recent);
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** Copies a message of request headers and reads the copy. */
  keep(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(length);
    bytes.copy(this.#bytes, 0, start, end);
    this.#reader.read(this.#bytes, 0, length);
    this.view.begin();
  }
}

/** Pools kept headers, so that a request with a body does not allocate its own. */
export class KeptHeadersPool {
  readonly #recent: RecentReadings;
  readonly #spare: KeptHeaders[] = [];

  constructor(recent: RecentReadings) {
    this.#recent = recent;
  }

  take(): KeptHeaders {
    return this.#spare.pop() ?? new KeptHeaders(this.#recent);
  }

  /** The headers must not be used after this call. */
  giveBack(headers: KeptHeaders): void {
    if (this.#spare.length < SPARE_MAX && headers.capacity <= BUFFER_MAX_BYTES) this.#spare.push(headers);
  }
}
