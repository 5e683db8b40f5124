import {
  type Accepted,
  acceptDatagram,
  type Datagram,
  decodeDatagram,
  encodeDatagram,
  type HaConfig,
  type Heartbeat,
  type Key,
  NOTHING_ACCEPTED,
} from '@flotilla/ha';
import type { Closable } from '@flotilla/kit';
import { keysOf } from './config.ts';
import { Path, type PathConfig } from './path.ts';

const US = 1000;
/** So many sent datagrams are remembered, to measure the time of their echo. */
const SENT_MAX = 64;

export interface BeatsOptions {
  /** Counts the starts of this member. */
  readonly boot: number;
  readonly config: HaConfig;
  /** The newest datagram of the peer before this start. */
  readonly accepted: Accepted;
  /** `answeredAt`: see the event `heard` of the machine. */
  readonly onBeat: (beat: Heartbeat, answeredAt: number | undefined) => void;
}

/** Heartbeats to and from the peer, over all paths. */
export class Beats implements Closable {
  readonly #options: BeatsOptions;
  /** Counts the datagrams that were not accepted, by reason. */
  readonly rejected = new Map<string, number>();
  readonly #paths: Path[] = [];
  /** When each of the newest datagrams was sent, by sequence. */
  readonly #sent = new Map<number, number>();
  #config: HaConfig;
  #keys: readonly Key[];
  #sequence = 0;
  #heard: { readonly datagram: Datagram; readonly at: number } | undefined;
  #accepted: Accepted;

  constructor(options: BeatsOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#keys = keysOf(options.config);
    this.#accepted = options.accepted;
    this.#openPaths(options.config.paths);
  }

  get paths(): readonly Path[] {
    return this.#paths;
  }

  /** The newest datagram of the peer. */
  get heard(): Datagram | undefined {
    return this.#heard?.datagram;
  }

  /** Kept on disk, so that a member that restarts refuses what it has seen. */
  get accepted(): Accepted {
    return this.#accepted;
  }

  /** Paths that stay are not interrupted. */
  update(config: HaConfig): void {
    this.#config = config;
    this.#keys = keysOf(config);
    const wanted = new Set(config.paths.map(keyOf));
    const gone = this.#paths.filter((path) => !wanted.has(keyOf(path.config)));
    this.#paths.splice(0, Number.POSITIVE_INFINITY, ...this.#paths.filter((path) => !gone.includes(path)));
    for (const path of gone) void path.close();
    const open = new Set(this.#paths.map(({ config: one }) => keyOf(one)));
    this.#openPaths(config.paths.filter((one) => !open.has(keyOf(one))));
  }

  #openPaths(configs: readonly PathConfig[]): void {
    for (const config of configs)
      this.#paths.push(
        new Path({ config, accepted: this.#accepted, onMessage: (bytes, path) => this.#receive(bytes, path) }),
      );
  }

  /** The other slot has another host now, which counts its starts by itself. */
  forgetPeer(): void {
    this.#heard = undefined;
    this.#accepted = NOTHING_ACCEPTED;
    const configs = this.#paths.splice(0).map((path) => {
      void path.close();
      return path.config;
    });
    this.#openPaths(configs);
  }

  send(beat: Heartbeat): void {
    const { pair_id, send_key, config_rev: configRev } = this.#config;
    const key = this.#keys.find(({ id }) => id === send_key);
    if (!key || this.#paths.length === 0) return;
    const now = performance.now();
    this.#sequence += 1;
    const heard = this.#heard;
    const echo = heard && {
      boot: heard.datagram.boot,
      sequence: heard.datagram.sequence,
      delayUs: Math.round((now - heard.at) * US),
    };
    const place = { boot: this.#options.boot, sequence: this.#sequence, configRev };
    const datagram = { beat, ...place, sentAtMs: Date.now(), echo };
    const bytes = encodeDatagram(datagram, pair_id, key);
    this.#sent.set(this.#sequence, now);
    this.#sent.delete(this.#sequence - SENT_MAX);
    for (const path of this.#paths) path.send(bytes);
  }

  #receive(bytes: Buffer, path: Path): void {
    const { pair_id: pairId, slot } = this.#config;
    const read = decodeDatagram(bytes, { pairId, slot }, this.#keys);
    if (!read.ok) {
      this.#reject(read.error);
      return;
    }
    const now = performance.now();
    const datagram = read.value;
    const rttMs = this.#measure(datagram, now);
    const skewMs = rttMs === undefined ? undefined : datagram.sentAtMs - Date.now() + rttMs / 2;
    if (!path.note(datagram, { now, rttMs, skewMs })) {
      this.#reject('old');
      return;
    }
    const accepted = acceptDatagram(this.#accepted, datagram);
    // The other path was faster.
    if (!accepted) return;
    this.#accepted = accepted;
    this.#heard = { datagram, at: now };
    this.#options.onBeat(datagram.beat, this.#echoedAt(datagram));
  }

  #reject(why: string): void {
    this.rejected.set(why, (this.rejected.get(why) ?? 0) + 1);
  }

  /** Returns the time of the way to the peer and back, without the time that it waited there. */
  #measure({ echo }: Datagram, now: number): number | undefined {
    const sentAt = this.#echoedAt({ echo });
    return sentAt === undefined || !echo ? undefined : Math.max(0, now - sentAt - echo.delayUs / US);
  }

  /** When the datagram was sent that the peer had heard last. */
  #echoedAt({ echo }: Pick<Datagram, 'echo'>): number | undefined {
    return echo?.boot === this.#options.boot ? this.#sent.get(echo.sequence) : undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#paths.map((path) => path.close()));
  }
}

function keyOf({ network, local, peer }: PathConfig): string {
  return `${network} ${local} ${peer}`;
}
