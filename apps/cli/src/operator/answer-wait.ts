/** Waits for the answer to one request, for `timeoutMs` at most. */
export class AnswerWait {
  readonly #tooLate = new AbortController();
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** `signal` ends it at once, also while the body of an answer is read. */
  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = AbortSignal.any([signal, this.#tooLate.signal]);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The time runs from the request to the last byte of the answer or `end()`. An upload may take any time: the time
   * starts when all bytes are sent. Rejects with a `TimeoutError` when the time is over.
   */
  readonly fetch: typeof fetch = async (input, init) => {
    const file = init?.body instanceof Blob ? init.body : undefined;
    if (!file) this.#begin();
    const response = await fetch(input, {
      ...init,
      ...(file && this.#describeFile(file, init?.headers)),
      redirect: 'error',
      signal: this.#signal,
    });
    // An upload may be refused before all of it is sent.
    if (file) this.#begin();
    return response;
  };

  /** The rest of the answer, if any, may take as long as it takes. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    // The refusal of the file has been read already.
    if (this.#hasEnded) return;
    this.#timer = setTimeout(() => this.#tooLate.abort(new DOMException('too late', 'TimeoutError')), this.#timeoutMs);
  }

  /** Sends the length first, so that the controller can refuse a file that is too large before it arrives. */
  #describeFile(file: Blob, given: RequestInit['headers']): RequestInit & { duplex: 'half' } {
    const headers = new Headers(given);
    headers.set('content-length', String(file.size));
    return { headers, body: ReadableStream.from(this.#read(file)), duplex: 'half' };
  }

  async *#read(file: Blob): AsyncGenerator<Uint8Array> {
    yield* file.stream();
    this.#begin();
  }
}
