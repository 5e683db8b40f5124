import { createSocket, type Socket } from 'node:dgram';
import { type Accepted, acceptDatagram, type Datagram, type HaConfig, HEARTBEAT_PORT } from '@flotilla/ha';
import type { Closable } from '@flotilla/kit';

/** So many of the newest datagrams count for the loss. */
const WINDOW = 100;
const OPEN_AGAIN_MS = 500;

export type PathConfig = HaConfig['paths'][number];

interface PathOptions {
  readonly config: PathConfig;
  /** The newest datagram of the peer before this start. */
  readonly accepted: Accepted;
  readonly onMessage: (bytes: Buffer, path: Path) => void;
}

interface Measured {
  readonly now: number;
  readonly rttMs: number | undefined;
  readonly skewMs: number | undefined;
}

/** One way of the heartbeats: from an address of this host to one of the peer. Opens again and again until that works. */
export class Path implements Closable {
  readonly config: PathConfig;
  readonly #onMessage: PathOptions['onMessage'];
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #accepted: Accepted;
  #rxAt: number | undefined;
  #rttMs: number | undefined;
  #skewMs: number | undefined;
  /** The sequences that arrived, newest last. */
  readonly #sequences: number[] = [];

  constructor({ config, accepted, onMessage }: PathOptions) {
    this.config = config;
    this.#accepted = accepted;
    this.#onMessage = onMessage;
    this.#open();
  }

  #open(): void {
    const { local, peer } = this.config;
    const socket = createSocket('udp4');
    this.#socket = socket;
    socket.once('error', (error) => {
      this.#problem = error.message;
      socket.close();
      this.#socket = undefined;
      this.#timer = setTimeout(() => this.#open(), OPEN_AGAIN_MS);
    });
    socket.on('message', (bytes, { address }) => {
      if (address === peer) this.#onMessage(bytes, this);
    });
    socket.bind(HEARTBEAT_PORT, local, () => {
      this.#problem = undefined;
      socket.removeAllListeners('error');
      // An unreachable network or host is what the heartbeats are there to notice.
      socket.on('error', () => undefined);
    });
  }

  /** Why it is not open. */
  get problem(): string | undefined {
    return this.#problem;
  }

  send(bytes: Buffer): void {
    this.#socket?.send(bytes, HEARTBEAT_PORT, this.config.peer, () => undefined);
  }

  /** False: it came over this path before. `rttMs` and `skewMs` are known after the peer has answered. */
  note(datagram: Pick<Datagram, 'boot' | 'sequence'>, { now, rttMs, skewMs }: Measured): boolean {
    const accepted = acceptDatagram(this.#accepted, datagram);
    if (!accepted) return false;
    if (accepted.boot !== this.#accepted.boot) this.#sequences.length = 0;
    this.#accepted = accepted;
    this.#rxAt = now;
    this.#rttMs = rttMs ?? this.#rttMs;
    this.#skewMs = skewMs ?? this.#skewMs;
    this.#sequences.push(datagram.sequence);
    if (this.#sequences.length > WINDOW) this.#sequences.shift();
    return true;
  }

  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  describe(now: number, deadMs: number) {
    const { network, local, peer } = this.config;
    return {
      network,
      local,
      peer,
      up: this.#rxAt !== undefined && now - this.#rxAt < deadMs,
      last_rx_ms: this.#rxAt === undefined ? null : Math.round(now - this.#rxAt),
      loss_pct: this.#loss(),
      rtt_ms: this.#rttMs === undefined ? null : Math.round(this.#rttMs * 100) / 100,
    };
  }

  #loss(): number {
    if (this.#sequences.length < 2) return 0;
    const span = Math.max(...this.#sequences) - Math.min(...this.#sequences) + 1;
    return Math.max(0, Math.round((1 - this.#sequences.length / span) * 1000) / 10);
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    return new Promise((resolve) => {
      if (socket) socket.close(() => resolve());
      else resolve();
    });
  }
}
