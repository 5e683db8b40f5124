import type { Budget } from '@flotilla/engines';
import type { BodyFailure } from './body-failure.ts';
import { decodeContent } from './content-encoding.ts';

/** The body of one request as received from the proxy. */
export interface ReceivedBodyOptions {
  /** The bytes as sent, still coded. The body may keep this view. */
  readonly bytes: Buffer;
  /** False if the proxy has more of the body than it sent. */
  readonly isComplete: boolean;
  /** All values of the `content-encoding` header. */
  readonly encodings: readonly string[];
}

/** A request's body, decoded when an engine first asks for it. */
export class ReceivedBody {
  readonly #options: ReceivedBodyOptions;
  #readFor = -1;
  #read: Buffer | BodyFailure = 'body.undecodable';

  constructor(options: ReceivedBodyOptions) {
    this.#options = options;
  }

  /** Returns the decoded body if neither it nor the sent bytes exceed `maxBytes`, otherwise the reason. */
  read(maxBytes: number, budget: Budget): Buffer | BodyFailure {
    if (this.#readFor === maxBytes) return this.#read;
    const { bytes, isComplete, encodings } = this.#options;
    this.#readFor = maxBytes;
    const isTooLarge = !isComplete || bytes.length > maxBytes;
    this.#read = isTooLarge ? 'body.too_large' : decodeContent(bytes, encodings, { maxBytes, budget });
    return this.#read;
  }
}
