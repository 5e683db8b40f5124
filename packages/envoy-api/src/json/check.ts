import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { type FieldRules, findMissedForm, nameJson } from '@flotilla/envoy-rules';
import { RuleCheck } from '../constraints/rule-check.ts';
import type { FieldPlan, MessagePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { findTypeOfAny } from './any-type.ts';
import { parseEnum, takesNull } from './enums.ts';
import { Findings } from './findings.ts';
import { checkJsonDepth, isFreeForm } from './free-form.ts';
import { MAX_DEPTH } from './limits.ts';
import { isJsonObject } from './object.ts';
import type { PathNode } from './path.ts';
import { describeBadEnum, describeUnknownField } from './problems.ts';
import { findReferenceProblem } from './reference.ts';
import { describeScalar, isZeroScalar, parseMapKey, parseScalar, type Scalar } from './scalars.ts';

/** Checks whether it can be encoded. */
export function checkForm(planner: Planner, plan: MessagePlan, json: JsonValue): Findings {
  const findings = new Findings();
  new Checker(planner, findings, { rules: undefined, allowRefs: false }).message(plan, json, undefined);
  return findings;
}

/**
 * Checks form, constraint rules and deprecations. `allowRefs` accepts `{ "$ref": ... }` instead of an Any or of a
 * message with a `typed_config`.
 */
export function checkMessage(
  planner: Planner,
  plan: MessagePlan,
  json: JsonValue,
  { allowRefs }: { readonly allowRefs: boolean },
): Findings {
  const findings = new Findings();
  new Checker(planner, findings, { rules: new RuleCheck(findings), allowRefs }).message(plan, json, undefined);
  return findings;
}

/**
 * One walk over proto-JSON along the message's plan. The encoder can write everything that passes. Continues after a
 * problem: a broken field is excluded from the constraint rules, and everything else is still checked.
 */
class Checker {
  readonly #planner: Planner;
  readonly #findings: Findings;
  /** The rules at this place; undefined if only the form is checked. */
  #rules: RuleCheck | undefined;
  #allowRefs: boolean;
  #depth = 0;

  constructor(
    planner: Planner,
    findings: Findings,
    { rules, allowRefs }: { readonly rules: RuleCheck | undefined; readonly allowRefs: boolean },
  ) {
    this.#planner = planner;
    this.#findings = findings;
    this.#rules = rules;
    this.#allowRefs = allowRefs;
  }

  message(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules?: FieldRules): void {
    if (this.#findings.full) return;
    if (this.#depth >= MAX_DEPTH) {
      this.#findings.error(path, 'too_deep', `is nested deeper than ${MAX_DEPTH} messages`);
      return;
    }
    this.#depth += 1;
    const outer = this.#rules;
    this.#rules = outer?.inside(plan, rules);
    if (plan.wellKnown) this.#wellKnown(plan, json, path, rules);
    else if (!isJsonObject(json)) this.#wrongType(path, `an object (${plan.typeName})`, json);
    else if (Object.hasOwn(json, '$ref')) this.#reference(plan, json, path);
    else this.#fields(plan, json, path);
    this.#rules = outer;
    this.#depth -= 1;
  }

  #reference(plan: MessagePlan, json: JsonObject, path: PathNode | undefined): void {
    const problem = findReferenceProblem(plan, json, { allowRefs: this.#allowRefs });
    if (problem !== undefined) this.#findings.error(path, 'reference', problem);
  }

  /** `besides`: a key that is not a field. */
  #fields(plan: MessagePlan, json: JsonObject, path: PathNode | undefined, besides?: '@type'): void {
    const set: boolean[] = new Array(plan.fields.length).fill(false);
    const chosen: Array<FieldPlan | undefined> = new Array(plan.oneofs.length);
    for (const key of Object.keys(json)) {
      if (key === besides) continue;
      if (this.#findings.full) return;
      const value = json[key];
      const at: PathNode = { parent: path, key };
      const field = plan.byKey.get(key);
      if (!field) {
        this.#findings.error(at, 'unknown_field', describeUnknownField(plan, key, this.#findings));
        continue;
      }
      if (value === undefined || (value === null && (field.shape !== 'singular' || !takesNull(field.value)))) continue;
      if (set[field.index]) {
        this.#findings.error(at, 'duplicate_field', `${field.name} is set twice, in snake_case and in camelCase`);
        continue;
      }
      set[field.index] = true;
      if (field.oneof !== undefined) {
        const other = chosen[field.oneof];
        if (other) {
          const name = plan.oneofs[field.oneof]?.name;
          this.#findings.error(at, 'oneof', `cannot be combined with ${other.name}: they exclude each other (${name})`);
          continue;
        }
        chosen[field.oneof] = field;
      }
      this.#field(field, value, at);
    }
    this.#unset(plan, set, chosen, path);
    if (plan.typedStruct && this.#rules) this.#typedStruct(json, path);
  }

  /** Envoy reads the content of a TypedStruct as the message it names. References in it are not resolved. */
  #typedStruct(json: JsonObject, path: PathNode | undefined): void {
    const carried = this.#planner.findInTypedStruct(json);
    if (!carried || !isJsonObject(json.value)) return;
    const [rules, allowRefs] = [this.#rules, this.#allowRefs];
    this.#rules = rules?.restart(carried);
    this.#allowRefs = false;
    this.message(carried, json.value, { parent: path, key: 'value' });
    this.#rules = rules;
    this.#allowRefs = allowRefs;
  }

  #unset(
    plan: MessagePlan,
    set: readonly boolean[],
    chosen: ReadonlyArray<FieldPlan | undefined>,
    path: PathNode | undefined,
  ): void {
    for (const field of plan.fields) {
      if (set[field.index]) continue;
      const at: PathNode = { parent: path, key: field.name };
      if (field.legacyRequired) this.#findings.error(at, 'required', 'is required');
      else this.#rules?.unset(field, at);
    }
    this.#rules?.oneofs(plan, chosen, path);
  }

  #field(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (field.shape === 'list') this.#list(field, json, at);
    else if (field.shape === 'map') this.#map(field, json, at);
    else {
      const scalar = this.#value(field, json, at, field.rules);
      // Without presence, an explicit zero equals an unset field
      if (field.presence || scalar === undefined || !isZeroScalar(scalar)) this.#rules?.set(field, at);
    }
  }

  #list(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (!Array.isArray(json)) {
      this.#wrongType(at, 'a list', json);
      return;
    }
    // First, so that a list with thousands of broken items is still reported as too long
    this.#rules?.size(field, json.length, at);
    const rules = field.rules?.type?.kind === 'repeated' ? field.rules.type : undefined;
    const items: Array<Scalar | undefined> | undefined = rules?.unique ? [] : undefined;
    for (const [index, item] of json.entries()) {
      if (this.#findings.full) return;
      const scalar = this.#value(field, item, { parent: at, key: index }, rules?.items);
      items?.push(scalar);
    }
    if (items) this.#rules?.unique(items, at);
  }

  #map(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (!isJsonObject(json)) {
      this.#wrongType(at, 'an object', json);
      return;
    }
    const keys = Object.keys(json);
    this.#rules?.size(field, keys.length, at);
    const rules = field.rules?.type?.kind === 'map' ? field.rules.type : undefined;
    const keyType = field.key ?? ScalarType.STRING;
    for (const key of keys) {
      if (this.#findings.full) return;
      const entry: PathNode = { parent: at, key };
      const parsed = parseMapKey(keyType, key);
      if (parsed === undefined) this.#findings.error(entry, 'type', `the key must be ${describeScalar(keyType)}`);
      else this.#rules?.mapKey(parsed, rules?.keys, entry);
      this.#value(field, json[key] as JsonValue, entry, rules?.values);
    }
  }

  /** Checks one value; returns it parsed if it is a scalar or an enum. */
  #value(field: FieldPlan, json: JsonValue, at: PathNode, rules: FieldRules | undefined): Scalar | undefined {
    const { value } = field;
    if (value.kind === 'message') {
      const plan = value.message();
      if (json === null && plan.wellKnown !== 'value') this.#wrongType(at, 'a value', json);
      else {
        this.message(plan, json, at, rules);
        if (plan.wellKnown === 'duration') this.#rules?.sign(field, json, at);
      }
      return undefined;
    }
    const parsed = value.kind === 'scalar' ? parseScalar(value.scalar, json) : parseEnum(value, json);
    if (parsed === undefined) {
      if (value.kind === 'enum')
        this.#findings.error(at, 'enum', describeBadEnum(value.enumeration, json, this.#findings));
      else
        this.#wrongType(
          at,
          describeScalar(value.scalar),
          field.sensitive && typeof json === 'string' ? 'another text' : json,
        );
      return undefined;
    }
    this.#rules?.value(value, parsed, rules, at);
    return parsed;
  }

  #wellKnown(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules: FieldRules | undefined): void {
    if (plan.wellKnown === 'any') this.#any(plan, json, path, rules);
    else if (plan.wellKnown === 'wrapper') this.#wrapper(plan, json, path, rules);
    else if (plan.wellKnown) {
      const wanted = findMissedForm(plan.wellKnown, json);
      if (wanted !== undefined) this.#wrongType(path, wanted, json);
      else if (isFreeForm(plan.wellKnown)) checkJsonDepth(json, path, this.#depth, this.#findings);
      else if (rules) this.#rules?.wellKnown(json, rules, path);
    }
  }

  #wrapper(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules: FieldRules | undefined): void {
    const field = plan.fields[0];
    if (field?.value.kind !== 'scalar') return;
    const parsed = parseScalar(field.value.scalar, json);
    if (parsed === undefined) {
      this.#wrongType(path, describeScalar(field.value.scalar), json);
      return;
    }
    this.#rules?.value(field.value, parsed, rules, path);
  }

  #any(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules: FieldRules | undefined): void {
    if (!isJsonObject(json)) {
      this.#wrongType(path, 'an object with "@type"', json);
      return;
    }
    if (Object.hasOwn(json, '$ref')) {
      this.#reference(plan, json, path);
      return;
    }
    const at: PathNode = { parent: path, key: '@type' };
    const type = findTypeOfAny(this.#planner, json, at, this.#findings);
    if (!type) return;
    if (rules) this.#rules?.wellKnown(type.url, rules, at);
    const inner = type.plan;
    const outer = this.#rules;
    this.#rules = outer?.restart(inner);
    if (inner.wellKnown) this.#boxed(inner, json, path);
    else this.#fields(inner, json, path, '@type');
    this.#rules = outer;
  }

  /** In an Any, a message with its own JSON form is under `value`. */
  #boxed(inner: MessagePlan, json: JsonObject, path: PathNode | undefined): void {
    for (const key of Object.keys(json)) {
      if (key === '@type' || key === 'value') continue;
      if (this.#findings.full) return;
      this.#findings.error(
        { parent: path, key },
        'unknown_field',
        `${inner.typeName} in an Any has "value" and nothing else`,
      );
    }
    this.message(inner, json.value ?? null, { parent: path, key: 'value' });
  }

  #wrongType(path: PathNode | undefined, wanted: string, json: JsonValue): void {
    this.#findings.error(path, 'type', `must be ${wanted}, not ${nameJson(json)}`);
  }
}
