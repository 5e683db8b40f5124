import { isIPv6 } from 'node:net';
import type { HaConfig } from '@flotilla/ha';
import { type Closable, sleep } from '@flotilla/kit';
import { announcementsOf, type Mac, probeOf, questionTo, readAdvertisement, readArp, toBytes } from './frames.ts';
import { Wire } from './wire.ts';

/** Neighbours may miss an announcement. */
const ANNOUNCE_AT_MS = [0, 200, 1000];
const ANNOUNCE_EVERY_MS = 60_000;
const PROBE_EVERY_MS = 30_000;
/** While another host answers. */
const PROBE_AGAIN_MS = 5000;
/** After the start of the programs that listen, and to the end. */
const PROBE_STEPS_MS = [500, 500, 800];
const CHECK_EVERY_MS = 500;

export interface Announced {
  readonly addresses: HaConfig['addresses'];
  readonly nextHops: readonly string[];
  /** Own address that asks next hops where they are. */
  readonly source: string | undefined;
}

export interface AnnouncerOptions {
  /** Why frames cannot be sent on an interface. */
  readonly onProblem: (interfaceName: string, problem: string | undefined) => void;
}

/** Tells neighbours where the addresses are, finds out where the next hops are, and whether other hosts answer for the addresses. */
export class Announcer implements Closable {
  readonly #options: AnnouncerOptions;
  readonly #wires = new Map<string, Wire>();
  /** Hardware addresses of next hops, by interface and address. */
  readonly #hops = new Map<string, Mac>();
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #announced: Announced = { addresses: [], nextHops: [], source: undefined };
  #conflicts: ReadonlySet<string> = new Set();
  /** When to do it next; the addresses are not here if undefined. */
  #announceAt: number | undefined;
  #probeAt = 0;
  #isProbing = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
  }

  /** Addresses that other hosts answer for. */
  get conflicts(): ReadonlySet<string> {
    return this.#conflicts;
  }

  update(announced: Announced): void {
    this.#announced = announced;
    const names = new Set(announced.addresses.map((one) => one.interface));
    for (const [name, wire] of this.#wires)
      if (!names.has(name)) {
        this.#wires.delete(name);
        this.#options.onProblem(name, undefined);
        void wire.close();
      }
    for (const name of names)
      if (!this.#wires.has(name)) {
        const wire = new Wire(name, (problem) => this.#options.onProblem(name, problem));
        this.#wires.set(name, wire);
        void wire.refresh();
      }
    this.#probeAt = Math.min(this.#probeAt, performance.now());
  }

  /** The addresses are here. Another host may have them until the given time has passed. */
  begin(quietMs: number): void {
    this.#announceAt = performance.now() + ANNOUNCE_EVERY_MS;
    this.#probeAt = performance.now() + quietMs;
    void this.announce();
  }

  /** The addresses are no longer here. */
  end(): void {
    this.#announceAt = undefined;
    this.#conflicts = new Set();
  }

  /** Announces the addresses, or some of them, several times. */
  async announce(only?: ReadonlySet<string>): Promise<void> {
    let waited = 0;
    for (const at of ANNOUNCE_AT_MS) {
      if (at > 0) await sleep(at - waited);
      waited = at;
      if (this.#announceAt === undefined) return;
      const { addresses } = this.#announced;
      this.#send(only ? addresses.filter(({ address }) => only.has(address)) : addresses);
    }
  }

  #send(addresses: HaConfig['addresses']): void {
    const { nextHops } = this.#announced;
    for (const [name, wire] of this.#wires) {
      const here = addresses.filter((one) => one.interface === name).map(({ address }) => address);
      if (here.length === 0) continue;
      void wire.send((mac) => [
        ...here.flatMap((address) => announcementsOf(address, mac)),
        ...here
          .filter((address) => !isIPv6(address))
          .flatMap((address) =>
            nextHops.map((ip) => questionTo({ ip, mac: this.#hops.get(`${name} ${ip}`) }, address, mac)),
          ),
      ]);
    }
  }

  #check(): void {
    const now = performance.now();
    if (this.#announceAt !== undefined && now >= this.#announceAt) {
      this.#announceAt = now + ANNOUNCE_EVERY_MS;
      this.#send(this.#announced.addresses);
    }
    if (now < this.#probeAt || this.#isProbing) return;
    this.#isProbing = true;
    void this.#probeAll().finally(() => {
      this.#isProbing = false;
    });
  }

  async #probeAll(): Promise<void> {
    this.#probeAt = performance.now() + PROBE_EVERY_MS;
    const heldSince = this.#announceAt;
    const found = await Promise.all([...this.#wires].map(([name, wire]) => this.#probe(name, wire)));
    // They may have moved meanwhile.
    if (heldSince === undefined || this.#announceAt === undefined) return;
    this.#conflicts = new Set(found.flat());
    if (this.#conflicts.size > 0) this.#probeAt = performance.now() + PROBE_AGAIN_MS;
  }

  /** Returns the addresses that others answer for. */
  async #probe(name: string, wire: Wire): Promise<string[]> {
    const { addresses, nextHops, source } = this.#announced;
    const here = addresses.filter((one) => one.interface === name).map(({ address }) => address);
    const held = this.#announceAt === undefined ? [] : here;
    if (held.length === 0 && nextHops.length === 0) return [];
    await wire.refresh();
    const answered = new Set<string>();
    const done = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, done.signal]);
    wire.listenToArp((frame) => {
      const sender = readArp(frame);
      // A switch may send a frame back.
      if (!sender || wire.mac?.equals(sender.mac)) return;
      answered.add(sender.ip);
      if (nextHops.includes(sender.ip)) this.#hops.set(`${name} ${sender.ip}`, Buffer.from(sender.mac));
    }, signal);
    if (held.some(isIPv6))
      wire.listenToAdvertisements((message) => answered.add(readAdvertisement(message) ?? ''), signal);
    const [settle = 0, ...waits] = PROBE_STEPS_MS;
    await sleep(settle);
    for (const wait of waits) {
      void wire.send((mac) => [
        ...held.map((address) => probeOf(address, mac)),
        ...(source === undefined ? [] : nextHops.map((ip) => questionTo({ ip }, source, mac))),
      ]);
      await sleep(wait);
    }
    done.abort();
    return held.filter((address) => answered.has(isIPv6(address) ? toBytes(address).toString('hex') : address));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#announceAt = undefined;
    this.#closing.abort();
    await Promise.all([...this.#wires.values()].map((wire) => wire.close()));
  }
}
