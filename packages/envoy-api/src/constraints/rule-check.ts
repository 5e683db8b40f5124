import type { JsonValue } from '@bufbuild/protobuf';
import type { Findings } from '../json/findings.ts';
import type { PathNode } from '../json/path.ts';
import { type Scalar, zeroScalar } from '../json/scalars.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../json/well-known.ts';
import type { FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import { applyOrder, applySize, applyValueRules, type Breach } from './apply.ts';
import { reportDeprecatedEnum, reportDeprecatedField } from './deprecated.ts';
import { type FieldRules, toNanos } from './rules.ts';

const NANOS = 1_000_000_000n;
const DURATION = { type: 'duration', format: (nanos: bigint) => formatDuration(split(nanos)) };
const TIMESTAMP = { type: 'timestamp', format: (nanos: bigint) => formatTimestamp(split(nanos)) };

/**
 * What Envoy asks of a document beyond its form. The check of the form calls it at each place, in the order of the document.
 *
 * - *on*: constraint rules and deprecations are reported.
 * - *off*: deprecations alone. Inside a message that is not validated (`validate.disabled`, or `message.skip` of its field).
 *
 * A document begins on. Off lasts for all that lies inside, but for what an Any or a TypedStruct carries: that begins anew. The
 * two states are two objects, and whoever walks takes the one that holds.
 */
export class RuleCheck {
  readonly #findings: Findings;
  readonly #isOn: boolean;
  readonly #on: RuleCheck;
  readonly #off: RuleCheck;

  constructor(findings: Findings, on?: RuleCheck) {
    this.#findings = findings;
    this.#isOn = on === undefined;
    this.#on = on ?? this;
    this.#off = on ? this : new RuleCheck(findings, this);
  }

  /** For the inside of a message that stands in a field with these rules. */
  inside(plan: MessagePlan, rules: FieldRules | undefined): RuleCheck {
    return plan.validated && !rules?.skip ? this : this.#off;
  }

  /** For a message that begins anew. */
  anew(plan: MessagePlan): RuleCheck {
    return plan.validated ? this.#on : this.#off;
  }

  /** A singular field that is set. */
  set(field: FieldPlan, at: PathNode): void {
    reportDeprecatedField(field, at, this.#findings);
  }

  /**
   * A field that is not set. A scalar without presence has its zero value, and rules hold for it (so `min_len` makes it
   * required); an unset member of a oneof and an unset `optional` have no value and break nothing.
   */
  unset(field: FieldPlan, at: PathNode): void {
    if (!this.#isOn) return;
    const { rules, value } = field;
    if (field.shape !== 'singular') {
      this.size(field, 0, at);
      return;
    }
    if (value.kind === 'message') {
      if (rules?.required && field.oneof === undefined) this.#findings.error(at, 'required', 'is required');
      return;
    }
    if (value.kind === 'enum' && field.oneof === undefined) {
      reportDeprecatedEnum(value.enumeration, 0, at, this.#findings);
    }
    if (field.presence || !rules?.type) return;
    const zero: Scalar = value.kind === 'scalar' ? zeroScalar(value.scalar) : 0;
    const enumeration = value.kind === 'enum' ? value.enumeration : undefined;
    applyValueRules(rules.type, zero, enumeration, (breach) =>
      this.#findings.error(at, breach.rule, `is required: it ${breach.message}`),
    );
  }

  /** `chosen`: the set member of each oneof. */
  oneofs(plan: MessagePlan, chosen: ReadonlyArray<FieldPlan | undefined>, path: PathNode | undefined): void {
    if (!this.#isOn) return;
    for (const [index, oneof] of plan.oneofs.entries()) {
      if (!oneof.required || chosen[index]) continue;
      const names = oneof.fields.map((field) => field.name).join(', ');
      this.#findings.error(path, 'oneof.required', `must have one of ${names} (${oneof.name})`);
    }
  }

  /** Number of items of a list or of pairs of a map; with any, the field is set. */
  size(field: FieldPlan, size: number, at: PathNode): void {
    if (size > 0) this.set(field, at);
    const rules = field.rules?.type;
    if (!this.#isOn || (rules?.kind !== 'repeated' && rules?.kind !== 'map')) return;
    applySize(rules.kind, rules.size, size, this.#reportAt(at));
  }

  /** `repeated.unique`; items that could not be read are undefined. */
  unique(items: ReadonlyArray<Scalar | undefined>, at: PathNode): void {
    if (!this.#isOn) return;
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      if (item === undefined) continue;
      const key = item instanceof Uint8Array ? Buffer.from(item).toString('base64') : String(item);
      if (seen.has(key)) this.#findings.error({ parent: at, key: index }, 'repeated.unique', 'must not be there twice');
      seen.add(key);
    }
  }

  mapKey(key: Scalar, rules: FieldRules | undefined, at: PathNode): void {
    if (!this.#isOn || !rules?.type) return;
    applyValueRules(rules.type, key, undefined, (breach) =>
      this.#findings.error(at, `map.keys.${breach.rule}`, `the key ${breach.message}`),
    );
  }

  /** A scalar or an enum's number. */
  value(plan: ValuePlan, parsed: Scalar, rules: FieldRules | undefined, at: PathNode | undefined): void {
    const enumeration = plan.kind === 'enum' ? plan.enumeration : undefined;
    if (this.#isOn && rules?.type) applyValueRules(rules.type, parsed, enumeration, this.#reportAt(at));
    if (enumeration) reportDeprecatedEnum(enumeration, Number(parsed), at, this.#findings);
  }

  /** A Duration, a Timestamp (`json` is the value) or an Any (`json` is its type URL). */
  wellKnown(json: JsonValue, { type }: FieldRules, path: PathNode | undefined): void {
    if (!this.#isOn || !type) return;
    const report = this.#reportAt(path);
    if (type.kind === 'any' && typeof json === 'string') {
      if (type.in.length > 0 && !type.in.includes(json))
        report({ rule: 'any.in', message: `must be one of ${type.in.join(', ')}` });
      if (type.notIn.includes(json)) report({ rule: 'any.not_in', message: `must not be ${json}` });
    } else if (type.kind === 'duration') {
      const nanos = toNanos(parseDuration(json));
      if (nanos !== undefined) applyOrder(DURATION, type.order, nanos, report);
    } else if (type.kind === 'timestamp') {
      const nanos = toNanos(parseTimestamp(json));
      if (nanos === undefined) return;
      applyOrder(TIMESTAMP, type.order, nanos, report);
      const now = BigInt(Date.now()) * 1_000_000n;
      if (type.now === 'lt' && nanos >= now) report({ rule: 'timestamp.lt_now', message: 'must lie in the past' });
      if (type.now === 'gt' && nanos <= now) report({ rule: 'timestamp.gt_now', message: 'must lie in the future' });
    }
  }

  /**
   * Envoy refuses a negative duration wherever it reads one (`DurationUtil` in source/common/protobuf/utility.cc), though few rules say so.
   * Messages of other projects may mean something by it.
   */
  sign(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (!this.#isOn || typeof json !== 'string' || !json.startsWith('-') || !field.owner.startsWith('envoy.')) return;
    const nanos = toNanos(parseDuration(json));
    const type = field.rules?.type;
    const hasLowerBound = type?.kind === 'duration' && (type.order.gt ?? type.order.gte) !== undefined;
    if (nanos !== undefined && nanos < 0n && !hasLowerBound)
      this.#findings.error(at, 'duration.negative', 'must not be negative');
  }

  #reportAt(path: PathNode | undefined): (breach: Breach) => void {
    return ({ rule, message }) => this.#findings.error(path, rule, message);
  }
}

function split(nanos: bigint): { seconds: bigint; nanos: number } {
  return { seconds: nanos / NANOS, nanos: Number(nanos % NANOS) };
}
