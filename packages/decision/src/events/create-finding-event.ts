import type { RequestView } from '@flotilla/engines';
import type { Finding } from '../decision.ts';
import type { FindingEvent } from './finding-event.ts';

/** A finding without its sequence number. */
export type UncountedFinding = Omit<FindingEvent, 'seq'>;

export interface FindingCircumstances {
  readonly node: string;
  /** Wall time in ms since the epoch. */
  readonly nowMs: number;
}

/** Limits for an event's texts, in characters before escaping. */
export const FINDING_TEXT_MAX_CHARS = {
  request_id: 128,
  node: 256,
  host: 256,
  method: 32,
  path: 1024,
  policy: 256,
  route: 1024,
  subject: 256,
  detail: 256,
} as const;

/** Reads nothing of the request except what the event contains. */
export function createFindingEvent(
  { policy, engine, verdict, outcome }: Finding,
  request: RequestView,
  { node, nowMs }: FindingCircumstances,
): UncountedFinding {
  const max = FINDING_TEXT_MAX_CHARS;
  return {
    time: new Date(nowMs).toISOString(),
    request_id: toPlainText(request.header('x-request-id')[0] ?? '', max.request_id),
    node: toPlainText(node, max.node),
    host: toPlainText(request.host, max.host),
    method: toPlainText(request.method, max.method),
    path: toPlainText(request.rawPath, max.path),
    policy: toPlainText(policy.name, max.policy),
    route: toPlainText(policy.pathPrefix ?? '', max.route),
    engine,
    reason: verdict.reason,
    severity: verdict.severity,
    verdict: outcome,
    status: verdict.status,
    subject: toPlainText(verdict.subject ?? '', max.subject),
    source_ip: request.sourceIp,
    digest: policy.digest,
    detail: toPlainText(verdict.detail ?? '', max.detail),
  };
}

/**
 * Characters with an effect on terminals and viewers: C0 and C1 controls, line and paragraph separators, and
 * bidirectional controls (Unicode, UAX #9).
 */
const ACTIVE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** Returns well-formed text of at most `maxChars` characters in which active characters are written as `\u001b`. */
export function toPlainText(text: string, maxChars: number): string {
  const clipped = text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
  return clipped.toWellFormed().replace(ACTIVE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
