import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Backoff } from './backoff.ts';

/** What waits for a reader, or for room on the disk. */
const WAITING_MAX_BYTES = 1024 * 1024;
/** PIPE_BUF of Linux: a pipe takes so much whole or not at all, so that programs that share one cut no line of each other. */
const WRITTEN_AT_ONCE_MAX_BYTES = 4096;
const RETRY = { initialMs: 10, maxMs: 1000 };

export interface LogWriterOptions {
  /** A descriptor, or a file to append to. */
  readonly destination: string | number;
  /** Lines were dropped, and what waited has been written: there is room again. */
  readonly onDropped: (lines: number) => void;
}

interface Output {
  readonly descriptor: number;
  /** A write may wait for a reader: a thread is to wait, not the program. */
  readonly mayWait: boolean;
}

/**
 * Writes lines in their order, and holds up nobody: neither a disk that is full nor a reader that takes nothing, or is gone,
 * ends the program, makes it wait, or takes more memory than `WAITING_MAX_BYTES`. Where a write cannot wait, a line is written
 * before `write` returns: it outlives the program, however that ends.
 *
 * *idle*: all is written.
 * *writing*: one write is under way in a thread, the lines behind it wait.
 * *held up*: a write has failed; what it left waits with the others, and is tried again at growing intervals.
 * Beside these two, *dropping*: a line did not fit any more; it and those behind it are dropped and counted until all that
 * waits is written, so that the gap is one, and is told where it is.
 */
export class LogWriter {
  readonly #output: Output;
  readonly #onDropped: (lines: number) => void;
  readonly #backoff = new Backoff(RETRY);
  #lines: Buffer[] = [];
  #waitingBytes = 0;
  /** Under way, or to be tried again. */
  #rest: Buffer = Buffer.alloc(0);
  #state: 'idle' | 'writing' | 'held up' = 'idle';
  #isDropping = false;
  #untold = 0;
  #dropped = 0;

  constructor({ destination, onDropped }: LogWriterOptions) {
    this.#output = openUnshared(typeof destination === 'string' ? openSync(destination, 'a') : destination);
    this.#onDropped = onDropped;
  }

  /** Lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#isDropping || this.#waitingBytes + bytes.length > WAITING_MAX_BYTES) {
      this.#isDropping = true;
      this.#untold += 1;
      this.#dropped += 1;
    } else {
      this.#lines.push(bytes);
      this.#waitingBytes += bytes.length;
    }
    if (this.#state === 'idle') this.#next();
  }

  /** At the end of the program, which waits for no write: what does not go now is lost. */
  flush(): void {
    if (!this.#output.mayWait) {
      this.#next();
    } else if (this.#state === 'writing') {
      try {
        writeSync(this.#output.descriptor, Buffer.concat(this.#lines));
      } catch {
        // There is nobody left to be told.
      }
    }
  }

  /** Until all is written, a write is under way, or one has failed. */
  #next(): void {
    const { descriptor, mayWait } = this.#output;
    while (this.#waitingBytes > 0) {
      if (this.#rest.length === 0) this.#rest = this.#take();
      if (mayWait) {
        this.#begin();
        return;
      }
      try {
        this.#advance(writeSync(descriptor, this.#rest));
      } catch {
        this.#holdUp();
        return;
      }
    }
    this.#state = 'idle';
    if (this.#isDropping) this.#resume();
  }

  #begin(): void {
    this.#state = 'writing';
    write(this.#output.descriptor, this.#rest, (error, written) => {
      if (error) return this.#holdUp();
      this.#advance(written);
      this.#next();
    });
  }

  #advance(written: number): void {
    this.#backoff.reset();
    this.#rest = this.#rest.subarray(written);
    this.#waitingBytes -= written;
  }

  /** Whole lines, one at least. */
  #take(): Buffer {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#lines) {
      if (count > 0 && bytes + length > WRITTEN_AT_ONCE_MAX_BYTES) break;
      count += 1;
      bytes += length;
    }
    return Buffer.concat(this.#lines.splice(0, count));
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
 * A pipe or a terminal that whoever else holds it makes blocking (a child that inherits it does) would hold up the program.
 * Opened anew it is ours, and a write to it that has to wait fails at once. A socket (the journal's) cannot be opened anew.
 */
function openUnshared(descriptor: number): Output {
  try {
    const file = fstatSync(descriptor);
    if (file.isFile()) return { descriptor, mayWait: false };
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return { descriptor: openSync(`/proc/self/fd/${descriptor}`, flags), mayWait: false };
  } catch {
    // Closed, without a reader, somebody else's, a socket, or a system without such names.
    return { descriptor, mayWait: true };
  }
}
