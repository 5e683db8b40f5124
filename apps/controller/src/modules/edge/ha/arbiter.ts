import type { Db } from '@flotilla/db';
import { type Closable, type Logger, RepeatedWork } from '@flotilla/kit';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Leading } from '../../../platform/presence/index.ts';
import { findYielding, isLasting, type Yielding } from './arbitration.ts';
import type { FleetCommands } from './fleet-commands.ts';
import type { PairState } from './model.ts';
import { listDeafPairs } from './report-store.ts';
import { readPairs } from './state-store.ts';

const LOOK_MS = 2000;
/** How long a member stands by without another order. It serves again if the other one, or this controller, is gone meanwhile. */
const HOLD_MS = 60_000;
const REPEAT_MS = 20_000;

export interface ArbiterDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly commands: Pick<FleetCommands, 'sendInternalWithin' | 'untilEnded'>;
  readonly now?: () => Date;
}

interface Watched {
  /** Since when this controller has seen the two active members. */
  readonly since: Date;
  readonly sentAt: Date | undefined;
}

/**
 * Lets one of two active members yield that do not hear each other. Runs on the leading controller, which hears both. A new leader
 * watches from the beginning.
 */
export class Arbiter implements Closable {
  readonly #deps: ArbiterDeps;
  readonly #now: () => Date;
  readonly #watched = new Map<string, Watched>();
  readonly #looks: RepeatedWork;

  constructor({ now = () => new Date(), ...deps }: ArbiterDeps) {
    this.#deps = deps;
    this.#now = now;
    const options = { everyMs: LOOK_MS, logger: deps.logger, failure: 'ha.arbitration_failed' };
    this.#looks = new RepeatedWork(options, () => this.#look());
  }

  start(): void {
    this.#looks.start();
  }

  async close(): Promise<void> {
    await this.#looks.close();
  }

  async #look(): Promise<void> {
    const { db, leadership } = this.#deps;
    const keys = !leadership.isLeading ? [] : await listDeafPairs(db);
    for (const id of this.#watched.keys()) if (!keys.some((key) => key.id === id)) this.#watched.delete(id);
    for (const { id, projectId } of keys) {
      const [pair] = await readPairs(db, projectId, id);
      if (pair) await this.#judge(pair);
    }
  }

  async #judge(pair: PairState): Promise<void> {
    const now = this.#now();
    const yielding = findYielding(pair, now);
    if (!yielding) {
      this.#watched.delete(pair.id);
      return;
    }
    const watched = this.#watched.get(pair.id) ?? { since: now, sentAt: undefined };
    this.#watched.set(pair.id, watched);
    const isDue = watched.sentAt === undefined || now.getTime() - watched.sentAt.getTime() >= REPEAT_MS;
    if (!isDue || !(yielding.isRepeated || isLasting(pair, watched.since))) return;
    this.#watched.set(pair.id, { ...watched, sentAt: now });
    await this.#order(pair, yielding, now);
  }

  async #order(pair: PairState, { member, isRepeated }: Yielding, now: Date): Promise<void> {
    const { leadership, commands, logger } = this.#deps;
    const { id, projectId: project, name } = pair;
    const actor = { kind: 'system', id: null, name: `HA pair ${name}` } as const;
    const order = { project, name: 'HA SUB_YIELD', clientId: member.clientId, body: { hold_ms: HOLD_MS } } as const;
    const sent = await leadership.write(async (tx) => {
      const result = await commands.sendInternalWithin(tx, { now, actor }, order);
      if (isRepeated) return result;
      await recordAudit(tx, {
        at: now,
        actor,
        actorRole: undefined,
        projectId: project,
        action: 'ha_pair.arbitrate',
        outcome: 'done',
        status: 200,
        subject: { type: 'ha_pair', id, name, changes: { yields: member.name } },
      });
      return result;
    });
    if (!sent) return;
    await commands.untilEnded(sent, 0);
    if (!isRepeated) logger.warn({ pair: id, client: member.clientId }, 'ha.arbitrated');
  }
}

/** Starts to watch pairs, until the program ends. */
export function openArbiter(
  { database, leadership, logger, lifecycle }: Pick<Platform, 'database' | 'leadership' | 'logger' | 'lifecycle'>,
  { commands }: Pick<ArbiterDeps, 'commands'>,
): void {
  const arbiter = new Arbiter({ db: database.db, leadership, logger, commands });
  lifecycle.add(() => arbiter.close());
  arbiter.start();
}
