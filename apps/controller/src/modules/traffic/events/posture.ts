import type { TrafficPosture } from '@flotilla/contract';
import { fromFlagBits, fromPiiBits } from '@flotilla/inventory';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toTime } from './answers.ts';
import { hasMark } from './filter.ts';
import { Question } from './question.ts';
import type { EventSource } from './source.ts';

const DAY_MS = 86_400_000;

/** The risk of an operation by its events of the last days. An operation without events is dormant. */
export async function readPosture(
  ctx: RequestContext,
  source: EventSource,
  { operationId, days }: { readonly operationId: string; readonly days: number },
): Promise<TrafficPosture> {
  const to = ctx.now.getTime() + 1;
  const filter = { operation_id: [operationId] };
  const question = await Question.open(ctx, source, { from: to - days * DAY_MS, to, filter });
  const counts = { authenticated: [hasMark('authenticated')], anonymous: [hasMark('anonymous')] };
  const { data, resolution } = await question.groups({ by: [], facts: true, counts });
  const [group] = data;
  const facts = group?.facts ?? null;
  const { events = 0, requests = 0 } = group ?? {};
  return {
    ...question.describe({ resolution, events, requests }),
    operation_id: operationId,
    window_days: days,
    state: facts === null ? 'dormant' : 'active',
    current: facts && {
      events,
      requests,
      max_risk_score: group?.riskMax ?? 0,
      max_exposure_score: facts.exposureMax,
      risk_flags: fromFlagBits(facts.flags),
      pii_categories: fromPiiBits(facts.pii),
      authenticated: group?.counts.authenticated ?? 0,
      anonymous: group?.counts.anonymous ?? 0,
      first_active: toTime(facts.firstMs),
      last_active: toTime(facts.lastMs),
    },
  };
}
