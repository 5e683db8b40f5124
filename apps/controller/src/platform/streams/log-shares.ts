export interface LogLimits {
  /** Bytes in flight of one client: an agent sends four batches of 4 MiB at a time. */
  readonly clientBytes: number;
  /** Bytes in flight of all clients. */
  readonly totalBytes: number;
}

const LIMITS: LogLimits = { clientBytes: 16 * 1024 * 1024, totalBytes: 96 * 1024 * 1024 };
/** Memory of a batch besides its payload. */
const BATCH_BYTES = 1024;

/** The memory that batches of access logs occupy until they are stored. */
export class LogShares {
  readonly #limits: LogLimits;
  readonly #byClient = new Map<string, number>();
  #bytes = 0;

  constructor(limits: Partial<LogLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined: this much is not free. The returned function gives the memory back, once. */
  take(clientId: string, payloadBytes: number): (() => void) | undefined {
    const bytes = payloadBytes + BATCH_BYTES;
    const own = this.#byClient.get(clientId) ?? 0;
    const { clientBytes, totalBytes } = this.#limits;
    // A client without a batch in flight always gets its turn within the total.
    if ((own > 0 && own + bytes > clientBytes + 4 * BATCH_BYTES) || this.#bytes + bytes > totalBytes) return undefined;
    this.#byClient.set(clientId, own + bytes);
    this.#bytes += bytes;
    return () => this.#giveBack(clientId, bytes);
  }

  #giveBack(clientId: string, bytes: number): void {
    const left = (this.#byClient.get(clientId) ?? 0) - bytes;
    if (left > 0) this.#byClient.set(clientId, left);
    else this.#byClient.delete(clientId);
    this.#bytes -= bytes;
  }
}
