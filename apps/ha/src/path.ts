import { createSocket, type Socket } from 'node:dgram';
import { type Accepted, acceptDatagram, type Datagram } from '@flotilla/ha';
import { type HaConfig, HEARTBEAT_PORT } from './config.ts';

/** So many of the newest datagrams count for the loss. */
const WINDOW = 100;

interface PathOptions {
  readonly config: HaConfig['paths'][number];
  /** The newest datagram of the peer before this start. */
  readonly accepted: Accepted;
}

interface Measured {
  readonly now: number;
  readonly rttMs: number | undefined;
  readonly skewMs: number | undefined;
}

/** One way of the heartbeats: from an address of this host to one of the peer. */
export class Path {
  readonly #config: HaConfig['paths'][number];
  readonly #socket: Socket;
  #accepted: Accepted;
  #rxAt: number | undefined;
  #rttMs: number | undefined;
  #skewMs: number | undefined;
  /** The sequences that arrived, newest last. */
  readonly #sequences: number[] = [];

  private constructor(socket: Socket, { config, accepted }: PathOptions) {
    this.#config = config;
    this.#socket = socket;
    this.#accepted = accepted;
  }

  static async open(options: PathOptions, onMessage: (bytes: Buffer, path: Path) => void): Promise<Path> {
    const { config } = options;
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(HEARTBEAT_PORT, config.local, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    // An unreachable network or host is what the heartbeats are there to notice.
    socket.on('error', () => undefined);
    const path = new Path(socket, options);
    socket.on('message', (bytes, { address }) => {
      if (address === config.peer) onMessage(bytes, path);
    });
    return path;
  }

  send(bytes: Buffer): void {
    this.#socket.send(bytes, HEARTBEAT_PORT, this.#config.peer, () => undefined);
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
    const { network, local, peer } = this.#config;
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
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}
