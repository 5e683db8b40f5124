import { ProcessingRequestReader } from '@flotilla/grpc-wire';
import type { RecentReadings } from './recent-readings.ts';
import { RequestHeaders } from './request-headers.ts';

/** So many sets of headers that are waited with no more stay for those to come. */
const SPARE_MAX = 64;
/** A buffer that grew beyond this is not kept. */
const BUFFER_MAX_BYTES = 16 * 1024;
const BUFFER_MIN_BYTES = 2 * 1024;

/** Headers of one request in memory of their own: those of other requests come before its body does. */
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

  /** Reads a message of request headers anew, from a copy. */
  keep(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(length);
    bytes.copy(this.#bytes, 0, start, end);
    this.#reader.read(this.#bytes, 0, length);
    this.view.begin();
  }
}

/** Kept headers that are used again: a request with a body makes none of its own. */
export class KeptHeadersPool {
  readonly #recent: RecentReadings;
  readonly #spare: KeptHeaders[] = [];

  constructor(recent: RecentReadings) {
    this.#recent = recent;
  }

  take(): KeptHeaders {
    return this.#spare.pop() ?? new KeptHeaders(this.#recent);
  }

  /** Nothing may look at the headers any more. */
  giveBack(headers: KeptHeaders): void {
    if (this.#spare.length < SPARE_MAX && headers.capacity <= BUFFER_MAX_BYTES) this.#spare.push(headers);
  }
}
