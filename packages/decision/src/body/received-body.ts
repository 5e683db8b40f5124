import type { Budget } from '@flotilla/engines';
import { decodeContent } from './content-encoding.ts';

/** What kept a body from being read. */
export type BodyFailure = 'body.too_large' | 'body.undecodable';

/** The body of one request as the proxy handed it over. */
export interface ReceivedBodyOptions {
  /** As sent, encodings still on; a view that the body may keep. */
  readonly bytes: Buffer;
  /** False when the proxy holds more than it handed over. */
  readonly isComplete: boolean;
  /** Every line of the header `content-encoding`. */
  readonly encodings: readonly string[];
}

/** A request's body, decoded when an engine asks for it. */
export class ReceivedBody {
  readonly #options: ReceivedBodyOptions;
  #readFor = -1;
  #read: Buffer | BodyFailure = 'body.undecodable';

  constructor(options: ReceivedBodyOptions) {
    this.#options = options;
  }

  /** The decoded body when neither it nor what was sent is longer than `maxBytes`, else why there is none. */
  read(maxBytes: number, budget: Budget): Buffer | BodyFailure {
    if (this.#readFor === maxBytes) return this.#read;
    const { bytes, isComplete, encodings } = this.#options;
    this.#readFor = maxBytes;
    const isTooLarge = !isComplete || bytes.length > maxBytes;
    this.#read = isTooLarge ? 'body.too_large' : decodeContent(bytes, encodings, { maxBytes, budget });
    return this.#read;
  }
}
