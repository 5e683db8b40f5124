import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Backoff } from './backoff.ts';

/** Limit for lines that wait for a reader or for disk space. */
const WAITING_MAX_BYTES = 1024 * 1024;
/**
 * PIPE_BUF of Linux. A pipe takes a write of this size completely or not at all, so programs that share a pipe never
 * split each other's lines.
 */
const WRITTEN_AT_ONCE_MAX_BYTES = 4096;
const RETRY = { initialMs: 10, maxMs: 1000 };

export interface LogWriterOptions {
  /** A file descriptor, or the path of a file to append to. */
  readonly destination: string | number;
  /** Called when there is space again: lines were dropped, and all waiting lines have been written. */
  readonly onDropped: (lines: number) => void;
}

interface Output {
  readonly descriptor: number;
  /** A write may block, so it must run in a thread. */
  readonly mayWait: boolean;
}

/**
 * Writes lines in order and never blocks. A full disk, or a reader that is slow or gone, does not end the program,
 * block it, or use more memory than `WAITING_MAX_BYTES`. If a write cannot block, the line is written before `write`
 * returns, so it survives a crash.
 *
 * *idle*: everything is written.
 * *writing*: one write runs in a thread; later lines wait.
 * *held up*: a write failed; the remaining bytes are retried at growing intervals.
 *
 * In each state the writer may also be *dropping*: a line did not fit. It and all later lines are dropped and counted
 * until the waiting lines are written, so that there is a single gap, and it is reported at its position.
 */
export class LogWriter {
  readonly #output: Output;
  readonly #onDropped: (lines: number) => void;
  readonly #backoff = new Backoff(RETRY);
  #lines: Buffer[] = [];
  #waitingBytes = 0;
  /** The remainder of the write that is running or will be retried. */
  #rest: Buffer = Buffer.alloc(0);
  #state: 'idle' | 'writing' | 'held up' = 'idle';
  #isDropping = false;
  #untold = 0;
  #dropped = 0;

  constructor({ destination, onDropped }: LogWriterOptions) {
    this.#output = openUnshared(typeof destination === 'string' ? openSync(destination, 'a') : destination);
    this.#onDropped = onDropped;
  }

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

  /**
   * Called at the end of the program, which does not wait for pending writes. Anything that cannot be written now is
   * lost.
   */
  flush(): void {
    if (!this.#output.mayWait) {
      this.#next();
    } else if (this.#state === 'writing') {
      try {
        writeSync(this.#output.descriptor, Buffer.concat(this.#lines));
      } catch {
        // The program is ending: nothing is left to report the failure to.
      }
    }
  }

  /** Writes until everything is written, a write is running in a thread, or a write has failed. */
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

  /** Takes complete lines, at least one. */
  #take(): Buffer {
    let [count, bytes] = [0, 0];
    for (const { length } of this.#lines) {
      if (count > 0 && bytes + length > WRITTEN_AT_ONCE_MAX_BYTES) break;
      count += 1;
      bytes += length;
    }
    return Buffer.concat(this.#lines.splice(0, count));
  }

  /** Retries after any error: disk space can be freed, and a named pipe can get another reader. */
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
 * A pipe or terminal becomes blocking for everyone when another process that shares it (such as a child) makes it so.
 * Opening it again gives us a description of our own, on which a write that would block fails at once. A socket (the
 * journal's) cannot be opened again.
 */
function openUnshared(descriptor: number): Output {
  try {
    const file = fstatSync(descriptor);
    if (file.isFile()) return { descriptor, mayWait: false };
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    return { descriptor: openSync(`/proc/self/fd/${descriptor}`, flags), mayWait: false };
  } catch {
    // The descriptor is closed, has no reader, belongs to another user or is a socket, or the system has no /proc.
    return { descriptor, mayWait: true };
  }
}
