import { publish, type Tx } from '@flotilla/db';
import { type Closable, RepeatedWork } from '@flotilla/kit';
import { CatchUp, type CatchUpDeps } from './catch-up.ts';
import { HA_SYNC_CHANGED } from './events.ts';
import { hasWork, listDue, noteOffline, type WorkKey } from './store.ts';

export type PairSyncDeps = Omit<CatchUpDeps, 'now'> & { readonly now?: () => Date };

const LOOK_MS = 1000;
/** Clients whose work goes on at the same time. A cloud that does not answer holds up its own clients only. */
const CLIENTS_AT_ONCE = 16;
/** Commands of a client at the same time. */
const IN_FLIGHT = 32;
/** A client gives its place to others after this. */
const STAY_MS = 10_000;

/**
 * Lets members of pairs catch up while this controller leads. Looks every second, and when `wake` is called.
 */
export class PairSync implements Closable {
  readonly #deps: CatchUpDeps;
  readonly #catchUp: CatchUp;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #looks: RepeatedWork;

  constructor({ now = () => new Date(), ...deps }: PairSyncDeps) {
    this.#deps = { ...deps, now };
    this.#catchUp = new CatchUp(this.#deps);
    const options = { everyMs: LOOK_MS, logger: deps.logger, failure: 'ha.sync_failed' };
    this.#looks = new RepeatedWork(options, () => this.#look());
    deps.leadership.leads('HA pairs');
  }

  start(): void {
    this.#looks.start();
  }

  /** A client has connected, commands have ended, or something is owed. */
  wake(): void {
    this.#looks.request();
  }

  async close(): Promise<void> {
    await this.#looks.close();
    await Promise.all(this.#busy.values());
  }

  async #look(): Promise<void> {
    const { db, leadership } = this.#deps;
    if (!leadership.isLeading || !(await hasWork(db))) return;
    const now = this.#deps.now();
    await leadership.write((tx) => this.#noteOffline(tx, now));
    const due = await listDue(db, { now, inFlight: IN_FLIGHT });
    for (const [clientId, keys] of Map.groupBy(due, (key) => key.clientId)) {
      if (this.#busy.has(clientId) || this.#busy.size >= CLIENTS_AT_ONCE) continue;
      this.#busy.set(clientId, this.#work(clientId, keys));
    }
  }

  async #noteOffline(tx: Tx, now: Date): Promise<void> {
    for (const { projectId, pairId } of await noteOffline(tx, now))
      await publish(tx, HA_SYNC_CHANGED, { project_id: projectId, pair_id: pairId }, now);
  }

  async #work(clientId: string, keys: readonly WorkKey[]): Promise<void> {
    const { leadership, logger } = this.#deps;
    const endsAt = performance.now() + STAY_MS;
    try {
      for (const key of keys) {
        if (this.#looks.isClosed || !leadership.isLeading || performance.now() > endsAt) return;
        await this.#catchUp.advance(key);
      }
    } catch (error) {
      logger.warn({ err: error, client: clientId }, 'ha.sync_failed');
    } finally {
      this.#busy.delete(clientId);
    }
  }
}
