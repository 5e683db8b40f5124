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
   * The time is that of the answer, from its request to its last byte or `end()`. The bytes of a file take as long as they
   * take: its time begins when they are sent. Rejects with a `TimeoutError` when the time is over.
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
    // Of a file whose refusal has been read already.
    if (this.#hasEnded) return;
    this.#timer = setTimeout(() => this.#tooLate.abort(new DOMException('too late', 'TimeoutError')), this.#timeoutMs);
  }

  /** The length is told, so that what is too large is refused before it is sent. */
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
