/** Lines that wait to be exported. When they are too many or too large, new ones are dropped and counted. */
export class LogQueue {
  readonly #limits: { readonly lines: number; readonly bytes: number };
  #lines: string[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(limits: { readonly lines: number; readonly bytes: number } = { lines: 2048, bytes: 4 * 1024 * 1024 }) {
    this.#limits = limits;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get waiting(): number {
    return this.#lines.length;
  }

  /** Never throws or waits. */
  offer(line: string): void {
    if (this.#lines.length >= this.#limits.lines || this.#bytes + line.length > this.#limits.bytes) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += line.length;
  }

  /** The oldest lines, which stay until `remove`. */
  peek(max: number): readonly string[] {
    return this.#lines.slice(0, max);
  }

  remove(count: number): void {
    const removed = this.#lines.slice(0, count);
    this.#lines = this.#lines.slice(count);
    this.#bytes -= removed.reduce((sum, line) => sum + line.length, 0);
  }

  drop(count: number): void {
    this.#dropped += Math.min(count, this.#lines.length);
    this.remove(count);
  }
}
