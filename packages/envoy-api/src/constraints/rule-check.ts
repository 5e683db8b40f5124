import type { JsonValue } from '@bufbuild/protobuf';
import {
  applySize,
  applyValueRules,
  applyWellKnownRules,
  type Breach,
  type EnumNames,
  type FieldRules,
  parseDuration,
  toNanos,
} from '@flotilla/envoy-rules';
import type { Findings } from '../json/findings.ts';
import type { PathNode } from '../json/path.ts';
import { type Scalar, zeroScalar } from '../json/scalars.ts';
import type { EnumPlan, FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import { reportDeprecatedEnum, reportDeprecatedField } from './deprecated.ts';

/**
 * Checks what Envoy requires beyond a document's form. The form check calls it at each place, in document order.
 *
 * - *on*: reports constraint rules and deprecations.
 * - *off*: reports only deprecations, inside a message that is not validated (`validate.disabled`, or `message.skip`
 *   of its field).
 *
 * A document begins with on. Off applies to everything inside, except for the content of an Any or a TypedStruct, which
 * restarts. The two states are two objects; the walk uses the current one.
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

  /** The check for the inside of a message in a field with these rules. */
  inside(plan: MessagePlan, rules: FieldRules | undefined): RuleCheck {
    return plan.validated && !rules?.skip ? this : this.#off;
  }

  /** The check for a message that restarts. */
  restart(plan: MessagePlan): RuleCheck {
    return plan.validated ? this.#on : this.#off;
  }

  /** Checks a singular field that is set. */
  set(field: FieldPlan, at: PathNode): void {
    reportDeprecatedField(field, at, this.#findings);
  }

  /**
   * Checks a field that is not set. A scalar without presence has its zero value, to which rules apply (so `min_len`
   * makes it required); an unset member of a oneof and an unset `optional` have no value and violate nothing.
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
    const names = value.kind === 'enum' ? namesOf(value.enumeration) : undefined;
    applyValueRules(rules.type, toRuleValue(zero), names, (breach) =>
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

  /** Checks the number of list items or map pairs; if there are any, the field is set. */
  size(field: FieldPlan, size: number, at: PathNode): void {
    if (size > 0) this.set(field, at);
    const rules = field.rules?.type;
    if (!this.#isOn || (rules?.kind !== 'repeated' && rules?.kind !== 'map')) return;
    applySize(rules.kind, rules.size, size, this.#reportAt(at));
  }

  /** Checks `repeated.unique`; unreadable items are undefined. */
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
    applyValueRules(rules.type, toRuleValue(key), undefined, (breach) =>
      this.#findings.error(at, `map.keys.${breach.rule}`, `the key ${breach.message}`),
    );
  }

  /** Checks a scalar or an enum's number. */
  value(plan: ValuePlan, parsed: Scalar, rules: FieldRules | undefined, at: PathNode | undefined): void {
    const enumeration = plan.kind === 'enum' ? plan.enumeration : undefined;
    if (this.#isOn && rules?.type)
      applyValueRules(rules.type, toRuleValue(parsed), enumeration && namesOf(enumeration), this.#reportAt(at));
    if (enumeration) reportDeprecatedEnum(enumeration, Number(parsed), at, this.#findings);
  }

  /** Checks a Duration, a Timestamp (`json` is the value) or an Any (`json` is its type URL). */
  wellKnown(json: JsonValue, { type }: FieldRules, path: PathNode | undefined): void {
    if (!this.#isOn || !type) return;
    applyWellKnownRules(type, json, this.#reportAt(path));
  }

  /**
   * Envoy rejects negative durations everywhere (`DurationUtil` in source/common/protobuf/utility.cc), though few rules
   * say so. Messages of other projects may allow them.
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

/** The rules take bytes as a text of one character per byte. */
function toRuleValue(value: Scalar): Exclude<Scalar, Uint8Array> {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
}

function namesOf(enumeration: EnumPlan): EnumNames {
  return {
    all: () => [...enumeration.byName.keys()],
    of: (number) => enumeration.byNumber.get(number)?.name,
  };
}
