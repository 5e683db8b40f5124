import { ALERT_TRAFFIC_KINDS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type Clock, type Closable, CoalescedWork, type Logger } from '@flotilla/kit';
import type { Leading } from '../../../../platform/presence/index.ts';
import { queueMessages } from '../notify/flush-store.ts';
import { CONDITION_QUERIES, type WatchTimes } from './condition-store.ts';
import { seedRules } from './seed-store.ts';
import { advanceAlerts, compareCondition, endAlertsOfOffRules, holdTrafficAlerts } from './transition-store.ts';
import { type ServiceVerdict, TrafficJudge } from './verdicts/traffic-judge.ts';

const EVERY_MS = 10_000;

export interface WatcherDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly authorityEndsAt: Date;
}

/**
 * Evaluates the rules of all projects while this controller leads. Everything it knows is in the database, and one transaction
 * that commits only while the lease is held moves all alerts and queues their messages: after a crash, or on another controller,
 * the next round continues where the last committed one ended.
 *
 * An alert is *pending* as long as its condition holds for less than the rule wants; it disappears when the condition ends. It is
 * *firing* from then on until the condition has been gone for a while, longer if it fired often lately. Then it is *resolved*,
 * for ever: the same condition would be a new alert.
 */
export class AlertWatcher implements Closable {
  readonly #deps: WatcherDeps;
  readonly #rounds = new CoalescedWork(() => this.#round());
  readonly #timer: NodeJS.Timeout;
  readonly #judge: TrafficJudge;
  /** When this controller began to watch as the leader; undefined: it does not lead. */
  #watchingSince: Date | undefined;

  constructor(deps: WatcherDeps) {
    this.#deps = deps;
    this.#judge = new TrafficJudge(deps.db);
    deps.leadership.leads('alerts');
    this.#timer = setInterval(() => this.#rounds.request(), EVERY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#rounds.settle();
  }

  async #round(): Promise<void> {
    const { leadership, clock, logger, authorityEndsAt } = this.#deps;
    if (!leadership.isLeading) {
      this.#watchingSince = undefined;
      return;
    }
    const now = new Date(clock.now());
    this.#watchingSince ??= now;
    const watchingSince = this.#watchingSince;
    try {
      // Before the transaction, which should be short.
      const verdicts = await this.#judgeTraffic(now);
      await leadership.write((tx) => evaluateRules(tx, { now, watchingSince, authorityEndsAt, verdicts }));
    } catch (error) {
      logger.warn({ err: error }, 'alerts.round_failed');
    }
  }

  /** A failure must not stop the other rules. */
  async #judgeTraffic(now: Date): Promise<readonly ServiceVerdict[] | undefined> {
    try {
      return await this.#judge.judgeAll(now);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'alerts.traffic_not_read');
      return undefined;
    }
  }
}

/** One round over all rules, with a number of queries that does not depend on them. Returns the number of queued messages. */
export async function evaluateRules(tx: Tx, times: WatchTimes): Promise<number> {
  await seedRules(tx, times.now);
  await endAlertsOfOffRules(tx, times.now);
  for (const kind of listKinds(times)) await compareCondition(tx, kind, times);
  if (!times.verdicts) await holdTrafficAlerts(tx, times.now);
  await advanceAlerts(tx, times.now);
  return queueMessages(tx, times.now);
}

/** Kinds about which something is known. */
function listKinds({ verdicts }: WatchTimes) {
  const kinds = Object.keys(CONDITION_QUERIES) as (keyof typeof CONDITION_QUERIES)[];
  return verdicts ? kinds : kinds.filter((kind) => !ALERT_TRAFFIC_KINDS.some((one) => one === kind));
}
