import type { Db } from '@flotilla/db';
import { type Closable, type Logger, RepeatedWork, toErrorMessage } from '@flotilla/kit';
import type { Leading } from '../../../../platform/presence/index.ts';
import {
  type AllowedAddress,
  beginRemoval,
  endRemoval,
  endRestoring,
  hasAllowed,
  listRemovable,
  noteFailedRemoval,
  noteNeed,
} from './address-pair-store.ts';
import { deriveBackOffMs } from './model.ts';

interface ServedPort {
  readonly server: string;
  readonly portId: string;
  readonly ownAddress: undefined;
}

/** The part of the clouds that this needs. */
interface Clouds {
  networksOf(
    projectId: string,
    choice: { readonly cloud_project: string },
  ): Promise<{
    allowAddresses(port: ServedPort, addresses: readonly string[]): Promise<unknown>;
    removeAddresses(port: ServedPort, addresses: readonly string[]): Promise<void>;
  }>;
}

export interface AddressPairsDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly clouds: Clouds;
  readonly now?: () => Date;
}

const LOOK_MS = 5000;
/** A host may still serve an address that its service has lost, until its connections have ended. */
const UNNEEDED_MS = 60_000;
const AT_ONCE = 20;

/**
 * Removes the addresses that this program has allowed on ports of a cloud, once no service of the members has them. Runs on the
 * leading controller.
 *
 * *allowed*: a service has the address, or had it until a minute ago. *removing*: the cloud is asked to remove it. Then the row is
 * deleted; if a service has got the address meanwhile, the cloud is asked to allow it again first. The state is in the row before the
 * cloud is asked, so that a controller that is killed anywhere continues from there.
 */
export class AddressPairs implements Closable {
  readonly #deps: AddressPairsDeps;
  readonly #now: () => Date;
  readonly #looks: RepeatedWork;

  constructor({ now = () => new Date(), ...deps }: AddressPairsDeps) {
    this.#deps = deps;
    this.#now = now;
    const options = { everyMs: LOOK_MS, logger: deps.logger, failure: 'ha.address_pairs_failed' };
    this.#looks = new RepeatedWork(options, () => this.#look());
  }

  start(): void {
    this.#looks.request();
    this.#looks.start();
  }

  async close(): Promise<void> {
    await this.#looks.close();
  }

  async #look(): Promise<void> {
    const { db, leadership } = this.#deps;
    if (!leadership.isLeading || !(await hasAllowed(db))) return;
    const now = this.#now();
    await leadership.write((tx) => noteNeed(tx, now));
    const unneededSince = new Date(now.getTime() - UNNEEDED_MS);
    for (const one of await listRemovable(db, { unneededSince, now, limit: AT_ONCE })) {
      if (this.#looks.isClosed || !leadership.isLeading) return;
      await this.#settle(one);
    }
  }

  async #settle(one: AllowedAddress): Promise<void> {
    const { leadership, logger } = this.#deps;
    try {
      const step = await leadership.write((tx) => beginRemoval(tx, one));
      if (step === 'remove') await this.#remove(one);
      else if (step === 'restore') await this.#restore(one);
    } catch (error) {
      const attempts = one.attempts + 1;
      const { server, portId, address } = one;
      // Later attempts say the same.
      if (attempts === 1)
        logger.warn({ reason: toErrorMessage(error), server, port: portId, address }, 'ha.address_pair_failed');
      const nextAttemptAt = new Date(this.#now().getTime() + deriveBackOffMs(attempts));
      await leadership.write((tx) => noteFailedRemoval(tx, one, { attempts, nextAttemptAt }));
    }
  }

  async #remove(one: AllowedAddress): Promise<void> {
    const networks = await this.#networksOf(one);
    await networks.removeAddresses(portOf(one), [one.address]);
    const isForgotten = await this.#deps.leadership.write((tx) => endRemoval(tx, one));
    if (isForgotten === false) await this.#restore(one);
  }

  async #restore(one: AllowedAddress): Promise<void> {
    const networks = await this.#networksOf(one);
    await networks.allowAddresses(portOf(one), [one.address]);
    await this.#deps.leadership.write((tx) => endRestoring(tx, one));
  }

  #networksOf({ projectId, cloudProject }: AllowedAddress) {
    return this.#deps.clouds.networksOf(projectId, { cloud_project: cloudProject });
  }
}

function portOf({ server, portId }: AllowedAddress): ServedPort {
  return { server, portId, ownAddress: undefined };
}
