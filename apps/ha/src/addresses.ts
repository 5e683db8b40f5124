import { isIPv6 } from 'node:net';
import type { HaConfig } from '@flotilla/ha';
import { type Closable, SerialQueue } from '@flotilla/kit';
import { type Announced, Announcer } from './announcer.ts';
import { closeConnections } from './connections.ts';
import { IpShell } from './ip-shell.ts';

type Address = HaConfig['addresses'][number];

const MS = 1000;
/** The kernel may get a change this much later than it was decided. */
const CHANGE_MAX_MS = 500;

export interface AddressesOptions {
  /** Why the newest change failed; undefined after one that worked. */
  readonly onProblem: (kind: string, problem: string | undefined) => void;
  /** The addresses are there since now. */
  readonly onRaised: () => void;
  /** The kernel removes the addresses after this long at the latest. Resolves when the next process would know, and never rejects. */
  readonly onLease: (leaseMs: number) => Promise<void>;
}

export interface AddressesConfig extends Announced {
  readonly leaseS: number;
}

/**
 * The shared addresses of this host. Each has a lifetime in the kernel, which removes it if nobody renews it. Changes are made one
 * after the other.
 */
export class Addresses implements Closable {
  readonly #options: AddressesOptions;
  readonly #queue = new SerialQueue();
  readonly #shell = new IpShell();
  readonly #announcer: Announcer;
  /** Those that the kernel has accepted, as they are written in the configuration. */
  readonly #present = new Set<string>();
  #config: AddressesConfig = { addresses: [], nextHops: [], source: undefined, leaseS: 0 };
  #isWanted = false;
  #renewedAt = 0;

  constructor(options: AddressesOptions) {
    this.#options = options;
    this.#announcer = new Announcer({
      onProblem: (name, problem) => options.onProblem(`announce ${name}`, problem),
    });
    this.#shell.warm();
  }

  /** Whether the kernel has it. */
  has(address: string): boolean {
    return this.#present.has(address);
  }

  /** Whether another host answers for it. */
  isDisputed(address: string): boolean {
    return this.#announcer.conflicts.has(address);
  }

  /** When the lease began, on the clock of the process. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  /** Addresses that stay are not touched. Those that are no longer wanted go first. */
  update(config: AddressesConfig): Promise<void> {
    const before = this.#config;
    this.#config = config;
    this.#announcer.update(config);
    const [old, now] = [before, config].map(({ addresses }) => new Set(addresses.map(keyOf)));
    const gone = before.addresses.filter((one) => !now?.has(keyOf(one)));
    const added = config.addresses.filter((one) => !old?.has(keyOf(one)));
    if (gone.length === 0 && added.length === 0 && before.leaseS === config.leaseS) return Promise.resolve();
    return this.#queue.run(async () => {
      await this.#remove(gone);
      await this.#extend();
      if (this.#isWanted && added.length > 0)
        void this.#announcer.announce(new Set(added.map(({ address }) => address)));
    });
  }

  /** Adds the addresses and announces them. */
  raise(): Promise<void> {
    this.#isWanted = true;
    return this.#queue.run(async () => {
      await this.#extend();
      if (!this.#isWanted) return;
      this.#options.onRaised();
      this.#announcer.begin(this.#config.leaseS * MS);
    });
  }

  renew(): Promise<void> {
    return this.#queue.run(() => this.#extend());
  }

  /** A renewal that waits must not bring back what was released meanwhile. */
  async #extend(): Promise<void> {
    if (!this.#isWanted) return;
    const { addresses, leaseS } = this.#config;
    await this.#options.onLease(leaseS * MS + CHANGE_MAX_MS);
    if (!this.#isWanted) return;
    const startedAt = performance.now();
    let failed = await this.#try(addresses, leaseS);
    // An interface that was created again has another number, which a new program finds.
    if (failed.addresses.length > 0 && this.#isWanted) failed = await this.#try(failed.addresses, leaseS);
    void this.#options.onLease(leaseS * MS);
    this.#renewedAt = startedAt;
    for (const one of addresses) this.#present.add(one.address);
    for (const one of failed.addresses) this.#present.delete(one.address);
    this.#options.onProblem('addresses', failed.complaint);
  }

  async #try(addresses: readonly Address[], leaseS: number) {
    const ran = await this.#shell.run(addresses.map((one) => `addr replace ${describe(one)} ${lifetime(one, leaseS)}`));
    if (ran.ok) return { addresses: [], complaint: undefined };
    return { addresses: addresses.filter((_, i) => ran.error.lines.has(i)), complaint: ran.error.complaint };
  }

  /** Ends the connections and removes the addresses. Those that are not there do not matter. */
  release(): Promise<void> {
    this.#isWanted = false;
    this.#announcer.end();
    return this.#queue.run(() => this.#remove(this.#config.addresses));
  }

  async #remove(addresses: readonly Address[]): Promise<void> {
    if (addresses.length === 0) return;
    // Clients that wait for an answer would wait for ever: nothing comes from an address that is gone.
    const closed = await closeConnections(addresses.map(({ address }) => address));
    this.#options.onProblem('connections', closed.ok ? undefined : closed.error);
    const lines = addresses.map((one) => `addr del ${describe(one)}`);
    const ran = await this.#shell.run(lines);
    if (!ran.ok && ran.error.isUnknown) await this.#shell.run(lines);
    for (const one of addresses) this.#present.delete(one.address);
  }

  /** Tells the neighbours again whose addresses these are. */
  announce(): void {
    void this.#announcer.announce();
  }

  async close(): Promise<void> {
    await this.#queue.settle();
    await Promise.all([this.#shell.close(), this.#announcer.close()]);
  }
}

function keyOf(one: Address): string {
  return `${one.address} ${one.interface}`;
}

function describe({ address, interface: name }: Address): string {
  return isIPv6(address) ? `${address}/128 dev ${name}` : `${address}/32 dev ${name}`;
}

/**
 * IPv6 addresses are usable at once: the search for other holders runs beside. They are deprecated, so that the host does not choose
 * them for connections of its own.
 */
function lifetime({ address }: Address, leaseS: number): string {
  return isIPv6(address) ? `valid_lft ${leaseS} preferred_lft 0 nodad` : `valid_lft ${leaseS} preferred_lft ${leaseS}`;
}
