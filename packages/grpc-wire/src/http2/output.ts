/** Where the bytes of a connection go. */
export interface ByteSink {
  /** Earlier bytes have not left yet. */
  readonly isBusy: boolean;
  /** Whether the bytes were taken at once: then the buffer is ours again. */
  write(bytes: Buffer): boolean;
}

/** Holds every frame: the largest is one of DATA, with its head. */
const OUTPUT_BYTES = 64 * 1024;

/** Collects what leaves in one turn, so that it leaves in one write. While the sink is busy only full buffers are given to it. */
export class Output {
  readonly #sink: ByteSink;
  bytes = Buffer.allocUnsafeSlow(OUTPUT_BYTES);
  length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Room for `length` bytes, at most `OUTPUT_BYTES`: where they go in `bytes`, which is to be read after this call. */
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
