import { SerialQueue, sleep } from '@flotilla/kit';
import type { HaConfig } from './config.ts';
import { runProgram } from './run-program.ts';

/** Neighbours may miss an announcement. */
const ANNOUNCE_AT_MS = [0, 200, 1000];
/** One address that fails, because its interface is missing for instance, must not keep the others away. */
const FORCED_BATCH = ['ip', '-force', '-batch', '-'];

export interface AddressesOptions {
  readonly addresses: HaConfig['addresses'];
  readonly leaseS: number;
  /** Why the newest change failed; undefined after one that worked. */
  readonly onProblem: (problem: string | undefined) => void;
}

/**
 * The shared addresses of this host, by `ip` and `arping`. Each has a lifetime in the kernel, which removes it if nobody renews it.
 * Changes are made one after the other.
 */
export class Addresses {
  readonly #options: AddressesOptions;
  readonly #queue = new SerialQueue();
  #isWanted = false;

  constructor(options: AddressesOptions) {
    this.#options = options;
  }

  /** Adds the addresses and announces them. */
  raise(): Promise<void> {
    this.#isWanted = true;
    return this.#queue.run(async () => {
      await this.#extend();
      void this.announce();
    });
  }

  renew(): Promise<void> {
    return this.#queue.run(() => this.#extend());
  }

  /** A renewal that waits must not bring back what was released meanwhile. */
  async #extend(): Promise<void> {
    if (!this.#isWanted) return;
    const { addresses, leaseS, onProblem } = this.#options;
    const lines = addresses.map(
      (one) => `addr replace ${one.address}/32 dev ${one.interface} valid_lft ${leaseS} preferred_lft ${leaseS}\n`,
    );
    const ran = lines.length === 0 ? undefined : await runProgram(FORCED_BATCH, lines.join(''));
    onProblem(ran && !ran.ok ? ran.error : undefined);
  }

  /** Removes the addresses. Those that are not there do not matter. */
  release(): Promise<void> {
    this.#isWanted = false;
    return this.#queue.run(async () => {
      const lines = this.#options.addresses.map((one) => `addr del ${one.address}/32 dev ${one.interface}\n`);
      if (lines.length > 0) await runProgram(FORCED_BATCH, lines.join(''));
    });
  }

  /** Tells the neighbours whose addresses these are now, as long as they are here. */
  async announce(): Promise<void> {
    let waited = 0;
    for (const at of ANNOUNCE_AT_MS) {
      await sleep(at - waited);
      waited = at;
      if (!this.#isWanted) return;
      await Promise.all(
        this.#options.addresses.flatMap((one) =>
          ['-U', '-A'].map((kind) => runProgram(['arping', '-q', kind, '-c', '1', '-I', one.interface, one.address])),
        ),
      );
    }
  }
}
