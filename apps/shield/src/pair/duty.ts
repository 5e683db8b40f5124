import { once } from 'node:events';
import { rename, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { removeDeadSocket } from '../listen-address.ts';
import type { UnixAddress } from './pair-addresses.ts';

/** How long the next filter may take to serve after it was asked to. */
const TAKEN_TIMEOUT_MS = 3000;
/** How often the serving filter checks that it is still on duty. */
const LOOK_EVERY_MS = 1000;
/** Delays between attempts to connect to a filter that is ending, and to one that accepts no more connections. */
const RETRY_MS = 2;
const RETRY_BUSY_MS = 100;

/** Maximum delay between processes that noticed the same end. */
const RIVALS_MS = 5;

const TAKE = 'take\n';
const TAKEN = 'taken\n';

export interface DutyOptions {
  /** Address of this process only. */
  readonly own: UnixAddress;
  /** Address of the process on duty. */
  readonly shared: UnixAddress;
  /** This process waits for another one. */
  readonly onWaiting: () => void;
}

/**
 * Decides which of several filter processes serves. The one on duty listens at the shared address; the others keep a
 * connection to it, which the kernel closes when the process ends for any reason.
 *
 * *Waiting* from `take` until nobody listens at the shared address or the process there says `take`. Then *on duty*:
 * this process takes over the shared address atomically (rename). Over when another process has taken the address
 * (`lost`): this happens if two notice the end of a third at the same moment and one is slow; that one serves, and the
 * other ends within a second.
 */
export class Duty {
  readonly #options: DutyOptions;
  #server: Server | undefined;
  /** Waiting processes, the longest-waiting first. */
  readonly #waiting = new Set<Socket>();
  readonly #lost = new AbortController();
  #inode = 0;
  #looking: NodeJS.Timeout | undefined;
  /** The process that asked us to take over. */
  #predecessor: Socket | undefined;

  constructor(options: DutyOptions) {
    this.#options = options;
  }

  /** Aborts when another process has taken over without being asked. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Makes this process available at its own address. */
  async open(): Promise<void> {
    const { path } = this.#options.own;
    await removeDeadSocket(path);
    this.#server = createServer((socket) => this.#onWaiting(socket));
    this.#server.listen(path);
    await once(this.#server, 'listening');
    this.#inode = await inodeOf(path);
  }

  /** Resolves when this process must serve. Rejects if `signal` aborts first. */
  async take(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const other = await dial(this.#options.shared.path);
      if (other === 'nobody' && (await this.#claim())) break;
      if (typeof other !== 'string' && (await this.#waitBehind(other, signal))) break;
      await wait(other === 'busy' ? RETRY_BUSY_MS : RETRY_MS, undefined, { signal });
    }
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Call once this process serves. */
  announce(): void {
    this.#predecessor?.end(TAKEN);
    this.#predecessor = undefined;
  }

  /** Whether a process is waiting that could take over. */
  get hasSuccessor(): boolean {
    return this.#waiting.size > 0;
  }

  /** Lets another process serve; false if none does. */
  async handOver(): Promise<boolean> {
    clearInterval(this.#looking);
    for (const successor of this.#waiting) {
      const isTaken = waitForWord(successor, TAKEN, AbortSignal.timeout(TAKEN_TIMEOUT_MS));
      successor.write(TAKE);
      if (await isTaken) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#predecessor?.destroy();
    await this.#closeServer();
  }

  async #closeServer(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    if (this.#server?.listening !== true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  /** Takes the free shared address; false if another process did the same at this moment. */
  async #claim(): Promise<boolean> {
    await rename(this.#options.own.path, this.#options.shared.path);
    await wait(RIVALS_MS);
    if ((await inodeOf(this.#options.shared.path)) === this.#inode) return true;
    await this.#closeServer();
    await this.open();
    return false;
  }

  /** True if that process asks us to serve; false if it is gone. */
  async #waitBehind(other: Socket, signal: AbortSignal): Promise<boolean> {
    try {
      this.#options.onWaiting();
      if (!(await waitForWord(other, TAKE, signal))) return false;
      await rename(this.#options.own.path, this.#options.shared.path);
      this.#predecessor = other;
      return true;
    } finally {
      if (this.#predecessor !== other) other.destroy();
    }
  }

  #onWaiting(socket: Socket): void {
    this.#waiting.add(socket);
    socket.unref();
    // Its end is only noticed on a socket that is read.
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => this.#waiting.delete(socket));
  }

  async #look(): Promise<void> {
    if ((await inodeOf(this.#options.shared.path)) === this.#inode) return;
    clearInterval(this.#looking);
    this.#lost.abort(new Error('another filter serves in this place'));
  }
}

/** 0 if the path does not exist. */
function inodeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ ino }) => ino,
    () => 0,
  );
}

/** Returns `busy` if there may be a listener that cannot be asked. */
async function dial(path: string): Promise<Socket | 'nobody' | 'busy'> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ECONNREFUSED' || code === 'ENOENT' ? 'nobody' : 'busy';
  }
  // An error while the process waits counts as its end.
  socket.on('error', () => undefined);
  return socket;
}

/** Whether the peer sends `word` before it is gone and before `signal` aborts. */
async function waitForWord(socket: Socket, word: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let heard = '';
  const onData = (chunk: Buffer) => {
    heard = (heard + chunk.toString('latin1')).slice(-word.length);
    if (heard === word) resolve(true);
  };
  const onEnd = () => resolve(false);
  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('close', onEnd);
  signal.addEventListener('abort', onEnd);
  if (signal.aborted || socket.destroyed) resolve(false);
  try {
    return await promise;
  } finally {
    socket.off('data', onData);
    socket.off('end', onEnd);
    socket.off('close', onEnd);
    signal.removeEventListener('abort', onEnd);
  }
}
