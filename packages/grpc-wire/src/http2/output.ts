/** The destination of a connection's bytes. */
export interface ByteSink {
  /** Earlier bytes have not been taken yet. */
  readonly isBusy: boolean;
  /** True if the bytes were taken at once, so the buffer can be reused. */
  write(bytes: Buffer): boolean;
}

/** Fits every frame; the largest is a DATA frame with its head. */
const OUTPUT_BYTES = 64 * 1024;

/** Collects the frames of one turn to send them in one write. While the sink is busy, it gets only full buffers. */
export class Output {
  readonly #sink: ByteSink;
  bytes = Buffer.allocUnsafeSlow(OUTPUT_BYTES);
  length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Reserves `length` bytes, at most `OUTPUT_BYTES`, and returns their offset in `bytes`, which may have changed. */
  reserve(length: number): number {
    if (this.length + length > OUTPUT_BYTES) this.#write();
    const at = this.length;
    this.length = at + length;
    return at;
  }

  flush(): void {
    if (this.length > 0 && !this.#sink.isBusy) this.#write();
  }

  flushAll(): void {
    if (this.length > 0) this.#write();
  }

  #write(): void {
    const filled = this.bytes.subarray(0, this.length);
    this.length = 0;
    if (!this.#sink.write(filled)) this.bytes = Buffer.allocUnsafeSlow(OUTPUT_BYTES);
  }
}
