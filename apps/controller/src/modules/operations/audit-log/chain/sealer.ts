import type { Db } from '@flotilla/db';
import { type Clock, type Closable, type Logger, sleep } from '@flotilla/kit';
import { isAnyWaiting, sealWaiting, whileSealing } from './chain-store.ts';
import { keepPublicKey, readLastHeads, signChangedHeads } from './checkpoint-store.ts';
import type { HeadsFile } from './heads-file.ts';
import type { HeadSigner } from './signer.ts';

const BATCH = 2000;
const LOOK_EVERY_MS = 200;
const SIGN_EVERY_MS = 30_000;
const SIGN_EVERY_ENTRIES = 10_000;

export interface SealerDeps {
  readonly db: Db;
  readonly signer: HeadSigner;
  readonly heads: HeadsFile;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Links entries into the chains of their projects, outside the path of writes, and signs the ends. Every controller has
 * a sealer; a database lock lets one work at a time.
 */
export class Sealer implements Closable {
  readonly #deps: SealerDeps;
  readonly #stopped = new AbortController();
  readonly #written = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  #turn: Promise<void> = Promise.resolve();
  #sealed = 0;
  #signedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SealerDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { db, signer, heads, clock } = this.#deps;
    await keepPublicKey(db, signer, new Date(clock.now()));
    for (const [projectKey, { seq }] of await heads.readLast()) this.#written.set(projectKey, seq);
    this.#running = this.#run();
  }

  /** Signs what is sealed, so that everything has a checkpoint while no controller runs. */
  async close(): Promise<void> {
    if (this.#stopped.signal.aborted) return this.#running;
    this.#stopped.abort();
    await this.#running;
    await this.sealAll().catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'audit.seal_failed'));
  }

  /** Seals what waits now, signs and exports the ends. Skips entries that another controller is sealing. */
  async sealAll(): Promise<void> {
    await this.#inTurn(async () => {
      while (await this.#sealBatch());
      await this.#sign();
    });
  }

  /** Runs one after the other: the database lock refuses a second sealer instead of letting it wait. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async #run(): Promise<void> {
    const { logger, clock } = this.#deps;
    while (!this.#stopped.signal.aborted) {
      let isMore = false;
      try {
        isMore = await this.#inTurn(async () => {
          const sealedMore = await this.#sealBatch();
          const isDue = clock.monotonic() - this.#signedAtMs >= SIGN_EVERY_MS || this.#sealed >= SIGN_EVERY_ENTRIES;
          if (isDue) await this.#sign();
          return sealedMore;
        });
      } catch (error) {
        // Other parts report an unreachable database; waiting entries are sealed when it is back.
        logger.warn({ err: error }, 'audit.seal_failed');
      }
      if (!isMore) await sleep(LOOK_EVERY_MS, this.#stopped.signal);
    }
  }

  /** Returns whether more may be waiting. */
  async #sealBatch(): Promise<boolean> {
    const { db } = this.#deps;
    if (!(await isAnyWaiting(db))) return false;
    const sealed = (await whileSealing(db, (tx) => sealWaiting(tx, BATCH))) ?? 0;
    this.#sealed += sealed;
    return sealed === BATCH;
  }

  async #sign(): Promise<void> {
    const { db, signer, heads, clock } = this.#deps;
    await whileSealing(db, (tx) => signChangedHeads(tx, signer, new Date(clock.now())));
    this.#sealed = 0;
    this.#signedAtMs = clock.monotonic();
    const last = await readLastHeads(db);
    const fresh = last.filter(({ projectKey, seq }) => seq > (this.#written.get(projectKey) ?? 0));
    await heads.append(fresh);
    for (const { projectKey, seq } of fresh) this.#written.set(projectKey, seq);
  }
}
