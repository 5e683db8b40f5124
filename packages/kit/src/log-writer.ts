import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Backoff } from './backoff.ts';

/** What waits for a reader, or for room on the disk. */
const WAITING_MAX_BYTES = 1024 * 1024;
/** Less than a pipe holds. */
const WRITTEN_AT_ONCE_MAX_CHARS = 16 * 1024;
const RETRY = { initialMs: 10, maxMs: 1000 };

export interface LogWriterOptions {
  /** A descriptor, or a file to append to. */
  readonly destination: string | number;
  /** Lines were dropped, and what waited has been written: there is room again. */
  readonly onDropped: (lines: number) => void;
}

/**
 * Writes lines in their order, and holds up nobody: neither a disk that is full nor a reader that takes nothing, or is gone,
 * ends the program, makes it wait, or takes more memory than `WAITING_MAX_BYTES`.
 *
 * *idle*: all is written.
 * *writing*: one write is under way, the lines behind it wait.
 * *held up*: a write has failed; what it left waits with the others, and is tried again at growing intervals.
 * Beside these two, *dropping*: a line did not fit any more; it and those behind it are dropped and counted until all that
 * waits is written, so that the gap is one, and is told where it is.
 */
export class LogWriter {
  readonly #file: number;
  readonly #onDropped: (lines: number) => void;
  readonly #backoff = new Backoff(RETRY);
  #lines: string[] = [];
  #waitingBytes = 0;
  /** Under way, or to be tried again. */
  #rest: Buffer = Buffer.alloc(0);
  #state: 'idle' | 'writing' | 'held up' = 'idle';
  #isDropping = false;
  #untold = 0;
  #dropped = 0;

  constructor({ destination, onDropped }: LogWriterOptions) {
    this.#file = typeof destination === 'string' ? openSync(destination, 'a') : openUnshared(destination);
    this.#onDropped = onDropped;
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#isDropping || this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      this.#isDropping = true;
      this.#untold += 1;
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#waitingBytes += bytes;
    if (this.#state === 'idle') this.#next();
  }

  /** At the end of the program, which waits for no write: what has been held up is lost. */
  flush(): void {
    if (this.#state !== 'writing') return;
    try {
      writeSync(this.#file, this.#lines.join(''));
    } catch {
      // There is nobody left to be told.
    }
  }

  #next(): void {
    if (this.#rest.length === 0) this.#rest = this.#take();
    if (this.#rest.length === 0) {
      this.#state = 'idle';
      if (this.#isDropping) this.#resume();
      return;
    }
    this.#state = 'writing';
    write(this.#file, this.#rest, (error, written) => {
      if (error) return this.#holdUp();
      this.#backoff.reset();
      this.#rest = this.#rest.subarray(written);
      this.#waitingBytes -= written;
      this.#next();
    });
  }

  /** Whole lines. */
  #take(): Buffer {
    let [count, chars] = [0, 0];
    for (const line of this.#lines) {
      if (count > 0 && chars + line.length > WRITTEN_AT_ONCE_MAX_CHARS) break;
      count += 1;
      chars += line.length;
    }
    return Buffer.from(this.#lines.splice(0, count).join(''));
  }

  /** Whatever it was: a disk gets room again, and to a pipe by name another reader may come. */
  #holdUp(): void {
    this.#state = 'held up';
    setTimeout(() => this.#next(), this.#backoff.next()).unref();
  }

  #resume(): void {
    const lines = this.#untold;
    this.#isDropping = false;
    this.#untold = 0;
    this.#onDropped(lines);
  }
}

/**
 * A pipe that whoever else holds it makes blocking (a child that inherits it does) would hold up a thread that files are read
 * with, and the end of the program. Opened anew it is ours, and a write to it that has to wait fails at once.
 */
function openUnshared(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Closed, without a reader, somebody else's, or a system without such names.
    return descriptor;
  }
}
