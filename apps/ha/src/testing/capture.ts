import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A time in which one hardware address sent from the shared address. Times are those of the wire, in milliseconds. */
export interface Held {
  readonly by: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The frames that came from an address, as seen on the switch. */
export class Capture {
  readonly #child: ChildProcess;
  readonly #names: ReadonlyMap<string, string>;
  readonly #held: Held[] = [];
  readonly #frames: { readonly by: string; readonly kind: 'announcement' | 'answer'; readonly at: number }[] = [];
  /** ARP announcements to everybody, and to one neighbour. */
  readonly announcements = { all: 0, one: 0 };

  private constructor(child: ChildProcess, names: ReadonlyMap<string, string>) {
    this.#child = child;
    this.#names = names;
  }

  /** `names` are those of the hosts, by hardware address. */
  static async start(namespace: string, address: string, names: ReadonlyMap<string, string>): Promise<Capture> {
    const argv = ['netns', 'exec', namespace, 'tcpdump', '-l', '-n', '-e', '-tt', '--immediate-mode', '-i', 'br0'];
    const child = spawn('ip', [...argv, `src host ${address}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    const capture = new Capture(child, names);
    createInterface({ input: child.stdout }).on('line', (line) => capture.#note(line));
    // It says that it listens.
    await once(child.stderr, 'data');
    child.stderr.resume();
    return capture;
  }

  #note(line: string): void {
    const [, seconds, mac = '', to = ''] = /^(\d+\.\d+) (\S+) > ([^\s,]+)/.exec(line) ?? [];
    if (!seconds) return;
    const isBroadcast = to === 'ff:ff:ff:ff:ff:ff' || to === 'Broadcast';
    const isArp = line.includes('ethertype ARP');
    if (isArp) this.announcements[isBroadcast ? 'all' : 'one'] += 1;
    const at = Number(seconds) * 1000;
    const by = this.#names.get(mac) ?? mac;
    this.#frames.push({ by, kind: isArp ? 'announcement' : 'answer', at });
    const last = this.#held.at(-1);
    if (last?.by === by) this.#held[this.#held.length - 1] = { ...last, lastAt: at };
    else this.#held.push({ by, firstAt: at, lastAt: at });
  }

  /** The hosts that sent from the address, in turn. */
  get held(): readonly Held[] {
    return this.#held;
  }

  get holders(): string[] {
    return this.#held.map(({ by }) => by);
  }

  /** When the host first announced the address, or answered from it, after the given time. */
  firstAt(by: string, kind: 'announcement' | 'answer', after: number): number | undefined {
    return this.#frames.find((one) => one.by === by && one.kind === kind && one.at >= after)?.at;
  }

  /** When the host last sent from the address. */
  lastAt(by: string): number | undefined {
    return this.#frames.findLast((one) => one.by === by)?.at;
  }

  /** The hosts that said by ARP that they have the address, in turn. Connections that were open send for longer. */
  get claims(): string[] {
    const claims = this.#frames.filter(({ kind }) => kind === 'announcement').map(({ by }) => by);
    return claims.filter((by, i) => by !== claims[i - 1]);
  }

  /** How long the first host went on to claim the address after the second one had begun. */
  get overlapMs(): number {
    const claims = this.#frames.filter(({ kind }) => kind === 'announcement');
    const next = claims.find(({ by }) => by !== claims[0]?.by);
    const last = claims.findLast(({ by }) => by === claims[0]?.by);
    return next && last ? Math.max(0, last.at - next.at) : 0;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await closed;
  }
}
