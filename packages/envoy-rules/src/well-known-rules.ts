import { applyOrder, type OrderWords, type Report } from './apply.ts';
import type { TypeRules } from './field-rules.ts';
import { formatTimestamp, fromNanos, parseDuration, parseTimestamp, showDuration, toNanos } from './well-known.ts';

const DURATION: OrderWords<bigint> = { type: 'duration', format: showDuration };
const TIMESTAMP: OrderWords<bigint> = { type: 'timestamp', format: (nanos) => formatTimestamp(fromNanos(nanos)) };

/** Applies the rules of a Duration or a Timestamp (`json` is the value), or of an Any (`json` is its type URL). */
export function applyWellKnownRules(rules: TypeRules, json: unknown, report: Report): void {
  if (rules.kind === 'any' && typeof json === 'string') {
    if (rules.in.length > 0 && !rules.in.includes(json))
      report({ rule: 'any.in', message: `must be one of ${rules.in.join(', ')}` });
    if (rules.notIn.includes(json)) report({ rule: 'any.not_in', message: `must not be ${json}` });
  } else if (rules.kind === 'duration') {
    const nanos = toNanos(parseDuration(json));
    if (nanos !== undefined) applyOrder(DURATION, rules.order, nanos, report);
  } else if (rules.kind === 'timestamp') {
    const nanos = toNanos(parseTimestamp(json));
    if (nanos === undefined) return;
    applyOrder(TIMESTAMP, rules.order, nanos, report);
    const now = BigInt(Date.now()) * 1_000_000n;
    if (rules.now === 'lt' && nanos >= now) report({ rule: 'timestamp.lt_now', message: 'must be in the past' });
    if (rules.now === 'gt' && nanos <= now) report({ rule: 'timestamp.gt_now', message: 'must be in the future' });
  }
}
