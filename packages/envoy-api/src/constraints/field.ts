import type { JsonValue } from '@bufbuild/protobuf';
import { reportDeprecatedEnum } from '../json/deprecated.ts';
import type { Findings } from '../json/findings.ts';
import type { PathNode } from '../json/path.ts';
import { type Scalar, zeroScalar } from '../json/scalars.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../json/well-known.ts';
import type { FieldPlan } from '../schema/plan.ts';
import { applyOrder, applySize, applyValueRules, type Breach } from './apply.ts';
import { type TypeRules, toNanos } from './rules.ts';

const NANOS = 1_000_000_000n;

/**
 * Rules of a field that is not set. A scalar without presence has its zero value, and rules hold for it (so `min_len` makes it
 * required); an unset member of a oneof and an unset `optional` have no value and break nothing.
 */
export function checkUnset(field: FieldPlan, at: PathNode, findings: Findings): void {
  const { rules, value } = field;
  if (field.shape !== 'singular') {
    checkSize(field, 0, at, findings);
    return;
  }
  if (value.kind === 'message') {
    if (rules?.required && field.oneof === undefined) findings.error(at, 'required', 'is required');
    return;
  }
  if (value.kind === 'enum' && field.oneof === undefined) reportDeprecatedEnum(value.enumeration, 0, at, findings);
  if (field.presence || !rules?.type) return;
  const zero: Scalar = value.kind === 'scalar' ? zeroScalar(value.scalar) : 0;
  const enumeration = value.kind === 'enum' ? value.enumeration : undefined;
  applyValueRules(rules.type, zero, enumeration, (breach) =>
    findings.error(at, breach.rule, `is required: it ${breach.message}`),
  );
}

/** Number of items of a list or of pairs of a map. */
export function checkSize(field: FieldPlan, size: number, at: PathNode, findings: Findings): void {
  const rules = field.rules?.type;
  if (rules?.kind !== 'repeated' && rules?.kind !== 'map') return;
  applySize(rules.kind, rules.size, size, (breach) => findings.error(at, breach.rule, breach.message));
}

/** `repeated.unique`; items that could not be read are undefined. */
export function checkUnique(items: ReadonlyArray<Scalar | undefined>, at: PathNode, findings: Findings): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item === undefined) continue;
    const key = item instanceof Uint8Array ? Buffer.from(item).toString('base64') : String(item);
    if (seen.has(key)) findings.error({ parent: at, key: index }, 'repeated.unique', 'must not be there twice');
    seen.add(key);
  }
}

/** Rules of a Duration, a Timestamp (`json` is the value) or an Any (`json` is its type URL). */
export function checkWellKnown(
  rules: TypeRules,
  json: JsonValue,
  path: PathNode | undefined,
  findings: Findings,
): void {
  const report = (breach: Breach) => findings.error(path, breach.rule, breach.message);
  if (rules.kind === 'any' && typeof json === 'string') {
    if (rules.in.length > 0 && !rules.in.includes(json))
      report({ rule: 'any.in', message: `must be one of ${rules.in.join(', ')}` });
    if (rules.notIn.includes(json)) report({ rule: 'any.not_in', message: `must not be ${json}` });
  } else if (rules.kind === 'duration') {
    const nanos = toNanos(parseDuration(json));
    if (nanos !== undefined)
      applyOrder('duration', rules.order, nanos, (value) => formatDuration(split(value)), report);
  } else if (rules.kind === 'timestamp') {
    const nanos = toNanos(parseTimestamp(json));
    if (nanos === undefined) return;
    applyOrder('timestamp', rules.order, nanos, (value) => formatTimestamp(split(value)), report);
    const now = BigInt(Date.now()) * 1_000_000n;
    if (rules.now === 'lt' && nanos >= now) report({ rule: 'timestamp.lt_now', message: 'must lie in the past' });
    if (rules.now === 'gt' && nanos <= now) report({ rule: 'timestamp.gt_now', message: 'must lie in the future' });
  }
}

/**
 * Envoy refuses a negative duration wherever it reads one (`DurationUtil` in source/common/protobuf/utility.cc), though few rules say so.
 * Messages of other projects may mean something by it.
 */
export function checkSign(field: FieldPlan, json: JsonValue, at: PathNode, findings: Findings): void {
  if (typeof json !== 'string' || !json.startsWith('-') || !field.owner.startsWith('envoy.')) return;
  const nanos = toNanos(parseDuration(json));
  const type = field.rules?.type;
  const hasLowerBound = type?.kind === 'duration' && (type.order.gt ?? type.order.gte) !== undefined;
  if (nanos !== undefined && nanos < 0n && !hasLowerBound)
    findings.error(at, 'duration.negative', 'must not be negative');
}

function split(nanos: bigint): { seconds: bigint; nanos: number } {
  return { seconds: nanos / NANOS, nanos: Number(nanos % NANOS) };
}
