import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { endianness } from 'node:os';
import { promisify } from 'node:util';
import { type Closable, SerialQueue, toErrorMessage } from '@flotilla/kit';
import * as z from 'zod';
import { ADVERTISEMENT_BYTES, ARP_BYTES, FRAME_BYTES, type Mac, parseMac } from './frames.ts';
import { PROGRAM_ENV } from './program-env.ts';

const TIMEOUT_MS = 2000;
/** Longer than anybody listens. */
const LISTEN_MAX_S = '10';
const COMPLAINT_MAX = 300;
const linksSchema = z.array(z.object({ ifindex: z.int(), address: z.string() }));
/** Families, types and protocols of sockets as numbers. The protocol of packets is in the order of the network. */
const PACKETS = 'SOCKET-SENDTO:17:3:0';
const ARP_PACKETS = `SOCKET-RECV:17:3:${endianness() === 'LE' ? 0x06_08 : 0x08_06}`;
const ICMP6_MESSAGES = 'SOCKET-RECV:10:3:58';
const ADVERTISEMENT = 136;

interface Sender {
  readonly child: ChildProcess;
  readonly index: number;
  readonly mac: Mac;
}

/** Sends and receives frames on an interface with `socat`, because this runtime has no raw sockets. */
export class Wire implements Closable {
  readonly #name: string;
  readonly #onProblem: (problem: string | undefined) => void;
  readonly #queue = new SerialQueue();
  #sender: Sender | undefined;

  constructor(name: string, onProblem: (problem: string | undefined) => void) {
    this.#name = name;
    this.#onProblem = onProblem;
  }

  /** Undefined: nothing can be sent now. */
  get mac(): Mac | undefined {
    return this.#sender?.mac;
  }

  /** Notices that the interface was created again or has another hardware address. */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      try {
        const link = await this.#readLink();
        if (this.#sender?.index === link.index && this.#sender.mac.equals(link.mac)) return;
        this.#sender?.child.kill('SIGKILL');
        this.#sender = this.#start(link);
        this.#onProblem(undefined);
      } catch (error) {
        this.#onProblem(`${this.#name}: ${toErrorMessage(error)}`);
      }
    });
  }

  /** Sends frames from the hardware address of the interface. At once, if the program for it runs. */
  async send(toFrames: (mac: Mac) => readonly Buffer[]): Promise<void> {
    if (!this.#sender) await this.refresh();
    const sender = this.#sender;
    // A pipe that is full has old announcements, and a frame must not be cut.
    if (!sender || sender.child.stdin?.writableNeedDrain) return;
    sender.child.stdin?.write(Buffer.concat(toFrames(sender.mac)));
  }

  /** Reads ARP messages until the signal is aborted. Each has the length of one. */
  listenToArp(onMessage: (frame: Buffer) => void, signal: AbortSignal): void {
    if (!this.#sender) return;
    const place = linkAddress(this.#sender.index, '0806');
    listen({ source: `${ARP_PACKETS}:${place}`, bytes: ARP_BYTES, onMessage, signal });
  }

  /** Reads neighbour advertisements until the signal is aborted. */
  listenToAdvertisements(onMessage: (message: Buffer) => void, signal: AbortSignal): void {
    const anywhere = `x${'0'.repeat(52)}`;
    const options = `so-bindtodevice=${this.#name},setsockopt-listen=58:1:x${icmp6Filter().toString('hex')}`;
    listen({ source: `${ICMP6_MESSAGES}:${anywhere},${options}`, bytes: ADVERTISEMENT_BYTES, onMessage, signal });
  }

  async #readLink(): Promise<{ index: number; mac: Mac }> {
    const { stdout } = await promisify(execFile)('ip', ['-j', 'link', 'show', 'dev', this.#name], {
      env: PROGRAM_ENV,
      timeout: TIMEOUT_MS,
    });
    const [link] = linksSchema.parse(JSON.parse(stdout));
    if (!link) throw new Error('no such interface');
    return { index: link.ifindex, mac: parseMac(link.address) };
  }

  #start({ index, mac }: { index: number; mac: Mac }): Sender {
    const target = `${PACKETS}:${linkAddress(index, '0000')}`;
    const child = spawn('socat', ['-u', '-b', String(FRAME_BYTES), '-', target], {
      env: PROGRAM_ENV,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const sender: Sender = { child, index, mac };
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < COMPLAINT_MAX) complaint += chunk.toString();
    });
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => this.#forget(sender, error.message));
    child.once('close', () => this.#forget(sender, complaint));
    return sender;
  }

  /** The next frame starts the program again. */
  #forget(sender: Sender, complaint: string): void {
    if (this.#sender !== sender) return;
    this.#sender = undefined;
    const why = complaint.trim().split('\n')[0]?.slice(0, COMPLAINT_MAX);
    if (why) this.#onProblem(`${this.#name}: ${why}`);
  }

  async close(): Promise<void> {
    await this.#queue.settle();
    const sender = this.#sender;
    this.#sender = undefined;
    sender?.child.stdin?.end();
  }
}

interface Listening {
  readonly source: string;
  readonly bytes: number;
  readonly onMessage: (message: Buffer) => void;
  readonly signal: AbortSignal;
}

/** It ends by itself if this process is killed. Longer messages are cut, so that all have the same length in the pipe. */
function listen({ source, bytes, onMessage, signal }: Listening): void {
  const child = spawn('socat', ['-u', '-T', LISTEN_MAX_S, '-b', String(bytes), source, '-'], {
    env: PROGRAM_ENV,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  let rest = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= bytes; rest = rest.subarray(bytes)) onMessage(rest.subarray(0, bytes));
  });
  // It was stopped, or there is no such program: the sender reports that.
  child.once('error', () => undefined);
}

/** A socket address of Linux without its family: protocol, index of the interface, and nothing else. */
function linkAddress(index: number, protocol: string): string {
  return `x${protocol}${hostOrder([index]).toString('hex')}${'0'.repeat(24)}`;
}

/** A bit for each type of messages that are not wanted. */
function icmp6Filter(): Buffer {
  const [word, bit] = [ADVERTISEMENT >> 5, ADVERTISEMENT & 31];
  return hostOrder(Array.from({ length: 8 }, (_, i) => (i === word ? ~(1 << bit) >>> 0 : 0xff_ff_ff_ff)));
}

function hostOrder(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries())
    if (endianness() === 'LE') bytes.writeUInt32LE(number, 4 * i);
    else bytes.writeUInt32BE(number, 4 * i);
  return bytes;
}
