import { isIP } from 'node:net';
import { SHIELD_EVENTS_KEPT_DAYS } from '@flotilla/contract';
import { fleet } from '@flotilla/proto';
import { isKnownFinding } from '../../configuration/public.ts';
import type { ShieldEventsTable } from './tables.ts';

const DAY_MS = 86_400_000;
/** Findings per message; our agents send fewer. */
const EVENTS_PER_MESSAGE_MAX = 500;
/** Far more than a filter finds in one run; a larger number is not ours. */
const SEQ_MAX = 10n ** 13n;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const POLICY = /^[A-Za-z0-9][\w.-]{0,127}$/;
const DIGEST = /^[0-9a-f]{64}$/;
/** 401 if the policy asks for it (`unauthorized_status`). */
const STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);
const SEVERITIES: ReadonlySet<string> = new Set(['info', 'low', 'medium', 'high', 'critical']);
const VERDICTS = new Map<fleet.ShieldVerdict, ShieldEventsTable['verdict']>([
  [fleet.ShieldVerdict.BLOCKED, 'blocked'],
  [fleet.ShieldVerdict.DETECTED, 'detected'],
  [fleet.ShieldVerdict.ERROR, 'error'],
]);

/** Maximum code points of each text. */
const TEXT_MAX = {
  request_id: 128,
  host: 256,
  method: 32,
  path: 1024,
  route: 1024,
  subject: 256,
  detail: 512,
} as const;

/** One finding as it is passed to the database; the project follows from the service. */
export interface EventRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly time: string;
  readonly request_id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly policy: string;
  readonly route: string;
  readonly engine: string;
  readonly reason: string;
  readonly severity: string;
  readonly verdict: ShieldEventsTable['verdict'];
  readonly status: number;
  readonly subject: string;
  readonly source_ip: string | null;
  readonly digest: string;
  readonly detail: string;
}

/** Converts the valid part of an agent's message; the rest cannot be from our agents. */
export function toEventRows(clientId: string, report: fleet.ShieldEvents, now: Date): EventRow[] {
  const { serviceId, epoch } = report;
  if (!UUID.test(serviceId) || !UUID.test(epoch)) return [];
  return report.events.slice(0, EVENTS_PER_MESSAGE_MAX).flatMap((event): EventRow[] => {
    const verdict = VERDICTS.get(event.verdict);
    const { policy, engine, reason, severity, status, seq } = event;
    if (verdict === undefined || !isKnownFinding(engine, reason) || !SEVERITIES.has(severity)) return [];
    if (!POLICY.test(policy) || !STATUSES.has(status) || seq < 1n || seq > SEQ_MAX) return [];
    return [
      {
        client_id: clientId,
        service_id: serviceId,
        epoch,
        seq: Number(seq),
        time: clampTime(event.timeMs, now).toISOString(),
        request_id: clean(event.requestId, TEXT_MAX.request_id),
        method: clean(event.method, TEXT_MAX.method),
        host: clean(event.host, TEXT_MAX.host),
        path: clean(event.path, TEXT_MAX.path),
        policy,
        route: clean(event.route, TEXT_MAX.route),
        engine,
        reason,
        severity,
        verdict,
        status,
        subject: clean(event.subject, TEXT_MAX.subject),
        source_ip: isIP(event.sourceIp) === 0 || event.sourceIp.includes('%') ? null : event.sourceIp,
        digest: DIGEST.test(event.digest) ? event.digest : '',
        detail: clean(event.detail, TEXT_MAX.detail),
      },
    ];
  });
}

/** Host clocks may be wrong: clamps the time between the retention limit and now. */
function clampTime(timeMs: bigint, now: Date): Date {
  const oldest = now.getTime() - SHIELD_EVENTS_KEPT_DAYS * DAY_MS;
  const given = Number(timeMs);
  return new Date(Math.min(Math.max(Number.isFinite(given) ? given : 0, oldest), now.getTime()));
}

/** PostgreSQL accepts neither NUL nor lone surrogates, and screens no control characters. */
function clean(text: string, max: number): string {
  return text
    .slice(0, 2 * max)
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, max)
    .toWellFormed();
}
