import type { Db } from '@flotilla/db';
import { lastFullMinute, readServiceMinutes, sumWindow } from '../../../../traffic/public.ts';
import { listTrafficRules, type TrafficRule } from './rule-store.ts';
import { judge } from './verdict.ts';

/** The verdict of a rule about a service; there is none if its condition does not hold. */
export interface ServiceVerdict {
  readonly rule_id: string;
  readonly service_id: string;
  /** null: unknown. */
  readonly summary: string | null;
}

const MINUTE_S = 60;

/** Judges the rules over traffic, once for every minute and whenever rules or services have changed. */
export class TrafficJudge {
  readonly #db: Db;
  #last: { readonly key: string; readonly verdicts: readonly ServiceVerdict[] } | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  async judgeAll(now: Date): Promise<readonly ServiceVerdict[]> {
    const rules = await listTrafficRules(this.#db);
    const untilMs = lastFullMinute(now.getTime());
    const key = JSON.stringify([
      untilMs,
      rules.map(({ rule_id, revision, service_ids }) => [rule_id, revision, service_ids]),
    ]);
    if (this.#last?.key !== key) this.#last = { key, verdicts: await judgeRules(this.#db, rules, untilMs) };
    return this.#last.verdicts;
  }
}

async function judgeRules(db: Db, rules: readonly TrafficRule[], untilMs: number): Promise<ServiceVerdict[]> {
  const verdicts: ServiceVerdict[] = [];
  for (const [projectId, own] of Map.groupBy(rules, ({ project_id }) => project_id)) {
    const serviceIds = [...new Set(own.flatMap(({ service_ids }) => service_ids))];
    const rulesOf = new Map(own.map((rule) => [rule, new Set(rule.service_ids)]));
    const minutes = Math.max(...own.map(({ condition }) => condition.window_s)) / MINUTE_S;
    for await (const { serviceId, nodes } of readServiceMinutes(db, { projectId, serviceIds }, { untilMs, minutes })) {
      for (const [{ rule_id, condition }, watched] of rulesOf) {
        if (!watched.has(serviceId)) continue;
        const verdict = judge(condition, sumWindow(nodes, { untilMs, windowMs: condition.window_s * 1000 }));
        if (verdict.is === 'not_met') continue;
        verdicts.push({ rule_id, service_id: serviceId, summary: verdict.is === 'met' ? verdict.summary : null });
      }
    }
  }
  return verdicts;
}
