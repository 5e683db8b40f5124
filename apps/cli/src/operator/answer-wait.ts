/** Limits the wait for the response to one request. */
export class AnswerWait {
  readonly #timeout = new AbortController();
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** `signal` cancels the wait immediately, also while the body of a response is read. */
  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = AbortSignal.any([signal, this.#timeout.signal]);
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The timeout runs from the request to the last byte of the response or `end()`. An upload may take any time: its timeout
   * starts when all bytes are sent. Rejects with a `TimeoutError` after the timeout.
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
    // The controller may refuse an upload before all of it is sent.
    if (file) this.#begin();
    return response;
  };

  /** Stops the timeout: the rest of the response may take any time. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    // The caller has already read the refusal of the upload.
    if (this.#hasEnded) return;
    this.#timer = setTimeout(
      () => this.#timeout.abort(new DOMException('the request timed out', 'TimeoutError')),
      this.#timeoutMs,
    );
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
