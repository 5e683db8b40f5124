import { fail, type PolicyDetections } from '@flotilla/contract';
import type { Condition } from '@flotilla/event-store';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type EventSource, hasMark, parseWindow, Question } from '../events/index.ts';
import { countDropped, countFindings, findFollowed, listDetectedRequests, readTrend } from './follow-store.ts';
import { toBlockText } from './model/block-text.ts';
import { checkSafety, SAFE_HOURS_DEFAULT, SAFE_REQUESTS_DEFAULT } from './model/safety.ts';

interface FollowQuery {
  readonly policy: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly min_requests?: number | undefined;
  readonly min_hours?: number | undefined;
}

const DETECTED_MAX = 5_000;
const CONSUMERS_MAX = 100;
const STATUSES_MAX = 50;
const SUCCEEDED: readonly Condition[] = [{ column: 'status', min: 100, max: 399 }];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAY_MS = 86_400_000;

/** Counts what a policy detected since its last change, at most seven days. Throws record.not_found. */
export async function readDetections(
  ctx: RequestContext,
  source: EventSource,
  query: FollowQuery,
): Promise<PolicyDetections> {
  const policy = await findFollowed(ctx.db, ctx.project.id, query.policy);
  if (policy === undefined) throw fail('record.not_found', { kind: 'policy', name: query.policy });
  const window = toWindow(query, policy.updated_at, ctx.now);
  const span = { from: new Date(window.from), to: new Date(window.to) };
  const services = policy.services.map(({ id }) => id);
  const [findings, trend, dropped] = await Promise.all([
    countFindings(ctx.db, ctx.project.id, policy.name, span),
    readTrend(ctx.db, ctx.project.id, policy.name, span),
    countDropped(ctx.db, ctx.project.id, services, span),
  ]);
  const without = source.access.store === undefined ? (source.access.reason ?? 'This controller has none.') : null;
  const traffic = without === null ? await readTraffic(ctx, source, { name: policy.name, services, window }) : NOTHING;
  const checks = checkSafety({
    ...traffic,
    services: services.length,
    dropped,
    observedMs: window.to - Math.max(window.from, policy.updated_at.getTime()),
    detected: findings.detected,
    minRequests: query.min_requests ?? SAFE_REQUESTS_DEFAULT,
    minHours: query.min_hours ?? SAFE_HOURS_DEFAULT,
  });
  const { detectParts, text } = toBlockText(policy.text);
  return {
    policy: {
      name: policy.name,
      revision: policy.revision,
      updated_at: policy.updated_at.toISOString(),
      detect_parts: detectParts,
      services: [...policy.services],
    },
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    ...traffic,
    detected: findings.detected,
    blocked: findings.blocked,
    errors: findings.errors,
    dropped,
    by_route: [...findings.by_route],
    by_engine: [...findings.by_engine],
    by_reason: [...findings.by_reason],
    trend,
    safe_to_block: detectParts !== 0 && checks.every(({ passed }) => passed),
    checks,
    block_text: text,
    without_traffic: without,
  };
}

/** By default since the last change of the policy: what an earlier text detected says nothing about this one. */
function toWindow({ from, to }: FollowQuery, changedAt: Date, now: Date) {
  if (from !== undefined || to !== undefined) return parseWindow({ from, to }, now);
  const earliest = Math.max(changedAt.getTime(), now.getTime() - 7 * DAY_MS);
  return { from: Math.min(earliest, now.getTime() - 1), to: now.getTime() };
}

type Traffic = Pick<PolicyDetections, 'inspected' | 'requests'>;
const NOTHING: Traffic = { inspected: null, requests: null };

async function readTraffic(
  ctx: RequestContext,
  source: EventSource,
  { name, services, window }: { name: string; services: readonly string[]; window: { from: number; to: number } },
): Promise<Traffic> {
  const question = await Question.open(ctx, source, { ...window, filter: { service_id: [...services] } });
  const ids = await listDetectedRequests(ctx.db, ctx.project.id, name, {
    from: new Date(window.from),
    to: new Date(window.to),
    limit: DETECTED_MAX + 1,
  });
  const inspected = await question.groups({
    by: [],
    also: [{ column: 'action', in: ['allow', 'block', 'detect'] }],
    resolution: 'raw',
  });
  const wanted = [...new Set(ids.slice(0, DETECTED_MAX))].filter((id) => UUID.test(id));
  return {
    inspected: inspected.data[0]?.requests ?? 0,
    requests: {
      ...(await readRequests(question, wanted)),
      findings: new Set(ids).size,
      truncated: ids.length > DETECTED_MAX,
    },
  };
}

const COUNTS = { succeeded: SUCCEEDED, authenticated: [hasMark('authenticated')], anonymous: [hasMark('anonymous')] };

/** The requests with these ids: who sent them, and how they ended. */
async function readRequests(question: Question, ids: readonly string[]) {
  const also: Condition[] = [{ column: 'requestId', in: ids }];
  const options = { also, counts: COUNTS, resolution: 'raw' as const };
  const [total, consumers, statuses] = await Promise.all([
    question.groups({ ...options, by: [] }),
    question.groups({ ...options, by: ['consumer'], limit: CONSUMERS_MAX }),
    question.groups({ ...options, by: ['status'], limit: STATUSES_MAX }),
  ]);
  const [all] = total.data;
  return {
    found: all?.events ?? 0,
    succeeded: all?.counts.succeeded ?? 0,
    authenticated: all?.counts.authenticated ?? 0,
    anonymous: all?.counts.anonymous ?? 0,
    consumers: consumers.data.map(({ values: [consumer = ''], requests, counts }) => ({
      consumer: consumer === '' ? null : consumer,
      requests,
      succeeded: counts.succeeded ?? 0,
      authenticated: counts.authenticated ?? 0,
    })),
    statuses: statuses.data.map(({ values: [status = '0'], requests }) => ({ status: Number(status), requests })),
  };
}
