import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { applyValueRules } from '../constraints/apply.ts';
import { checkSign, checkSize, checkUnique, checkUnset, checkWellKnown } from '../constraints/field.ts';
import type { FieldRules } from '../constraints/rules.ts';
import type { FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { findTypeOfAny } from './any-type.ts';
import { reportDeprecatedEnum, reportDeprecatedField } from './deprecated.ts';
import { parseEnum, takesNull } from './encode.ts';
import { Findings, nameJson } from './findings.ts';
import { checkJsonDepth, findMissedForm, isFreeForm } from './free-form.ts';
import { MAX_DEPTH } from './limits.ts';
import { isJsonObject, isReference } from './own.ts';
import type { PathNode } from './path.ts';
import { describeBadEnum, describeUnknownField } from './problems.ts';
import { describeScalar, isZeroScalar, parseMapKey, parseScalar, type Scalar } from './scalars.ts';

export interface CheckerOptions {
  /** Also the constraint rules and deprecations, not only whether it can be written as bytes. */
  readonly constraints: boolean;
  /** Takes `{ "$ref": ... }` in the place of an Any or of a message that holds a `typed_config`. */
  readonly allowRefs: boolean;
}

/**
 * One walk over proto-JSON along the message's plan. What it lets through, the encoder can write. It does not stop at the first
 * problem: a broken field is left out of the constraint rules, everything around it is still checked.
 */
export class Checker {
  readonly findings = new Findings();
  readonly #planner: Planner;
  readonly #options: CheckerOptions;
  /** False inside a message whose rules are switched off (`validate.disabled`, `message.skip`); an Any inside starts anew. */
  #constraints: boolean;
  #allowRefs: boolean;
  #depth = 0;

  constructor(planner: Planner, options: CheckerOptions) {
    this.#planner = planner;
    this.#options = options;
    this.#constraints = options.constraints;
    this.#allowRefs = options.allowRefs;
  }

  message(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules?: FieldRules): void {
    if (this.findings.full) return;
    if (this.#depth >= MAX_DEPTH) {
      this.findings.error(path, 'too_deep', `is nested deeper than ${MAX_DEPTH} messages`);
      return;
    }
    this.#depth += 1;
    const before = this.#constraints;
    if (!plan.validated || rules?.skip) this.#constraints = false;
    if (plan.wellKnown) this.#wellKnown(plan, json, path, rules);
    else if (!isJsonObject(json)) this.#wrongType(path, `an object (${plan.typeName})`, json);
    else if (Object.hasOwn(json, '$ref')) this.#reference(plan, json, path);
    else this.#fields(plan, json, path, false);
    this.#constraints = before;
    this.#depth -= 1;
  }

  #reference(plan: MessagePlan, json: JsonObject, path: PathNode | undefined): void {
    const fits = plan.extensionSlot || plan.wellKnown === 'any';
    if (!fits) {
      this.findings.error(path, 'reference', `${plan.typeName} cannot be a reference: only extensions can`);
      return;
    }
    if (!this.#allowRefs) {
      this.findings.error(path, 'reference', 'is a reference that was not resolved');
      return;
    }
    if (!isReference(json) || json.$ref === '') {
      this.findings.error(path, 'reference', 'must be { "$ref": "<collection>/<name>" } and nothing else');
    }
  }

  #fields(plan: MessagePlan, json: JsonObject, path: PathNode | undefined, inAny: boolean): void {
    const set: boolean[] = new Array(plan.fields.length).fill(false);
    const chosen: Array<FieldPlan | undefined> = new Array(plan.oneofs.length);
    for (const key of Object.keys(json)) {
      if (inAny && key === '@type') continue;
      const value = json[key];
      const at: PathNode = { parent: path, key };
      const field = plan.byKey.get(key);
      if (!field) {
        this.findings.error(at, 'unknown_field', describeUnknownField(plan, key));
        continue;
      }
      if (value === undefined || (value === null && (field.shape !== 'singular' || !takesNull(field.value)))) continue;
      if (set[field.index]) {
        this.findings.error(at, 'duplicate_field', `${field.name} is set twice, in snake_case and in camelCase`);
        continue;
      }
      set[field.index] = true;
      if (field.oneof !== undefined) {
        const other = chosen[field.oneof];
        if (other) {
          const name = plan.oneofs[field.oneof]?.name;
          this.findings.error(at, 'oneof', `cannot stand beside ${other.name}: they exclude each other (${name})`);
          continue;
        }
        chosen[field.oneof] = field;
      }
      this.#field(field, value, at);
    }
    this.#unset(plan, set, chosen, path);
    if (plan.typedStruct && this.#options.constraints) this.#typedStruct(json, path);
  }

  /** Envoy reads what a TypedStruct carries as the message it names. Nobody resolves references in there. */
  #typedStruct(json: JsonObject, path: PathNode | undefined): void {
    const carried = this.#planner.findInTypedStruct(json);
    if (!carried || !isJsonObject(json.value)) return;
    const [constraints, allowRefs] = [this.#constraints, this.#allowRefs];
    this.#constraints = true;
    this.#allowRefs = false;
    this.message(carried, json.value, { parent: path, key: 'value' });
    this.#constraints = constraints;
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
      if (field.legacyRequired) this.findings.error(at, 'required', 'is required');
      else if (this.#constraints) checkUnset(field, at, this.findings);
    }
    if (!this.#constraints) return;
    for (const [index, oneof] of plan.oneofs.entries()) {
      if (!oneof.required || chosen[index]) continue;
      const names = oneof.fields.map((field) => field.name).join(', ');
      this.findings.error(path, 'oneof.required', `must have one of ${names} (${oneof.name})`);
    }
  }

  #field(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (field.shape === 'list') this.#list(field, json, at);
    else if (field.shape === 'map') this.#map(field, json, at);
    else {
      const scalar = this.#value(field, field.value, json, at, field.rules);
      // Without presence an explicit zero is the same as nothing
      if (this.#options.constraints && (field.presence || scalar === undefined || !isZeroScalar(scalar))) {
        reportDeprecatedField(field, at, this.findings);
      }
    }
  }

  #list(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (!Array.isArray(json)) {
      this.#wrongType(at, 'a list', json);
      return;
    }
    if (this.#options.constraints && json.length > 0) reportDeprecatedField(field, at, this.findings);
    // First, so that a list with thousands of broken items is still said to be too long
    if (this.#constraints) checkSize(field, json.length, at, this.findings);
    const rules = field.rules?.type?.kind === 'repeated' ? field.rules.type : undefined;
    const items: Array<Scalar | undefined> | undefined = rules?.unique ? [] : undefined;
    for (const [index, item] of json.entries()) {
      if (this.findings.full) return;
      const scalar = this.#value(field, field.value, item, { parent: at, key: index }, rules?.items);
      items?.push(scalar);
    }
    if (this.#constraints && items) checkUnique(items, at, this.findings);
  }

  #map(field: FieldPlan, json: JsonValue, at: PathNode): void {
    if (!isJsonObject(json)) {
      this.#wrongType(at, 'an object', json);
      return;
    }
    const keys = Object.keys(json);
    if (this.#options.constraints && keys.length > 0) reportDeprecatedField(field, at, this.findings);
    if (this.#constraints) checkSize(field, keys.length, at, this.findings);
    const rules = field.rules?.type?.kind === 'map' ? field.rules.type : undefined;
    const keyType = field.key ?? ScalarType.STRING;
    for (const key of keys) {
      if (this.findings.full) return;
      const entry: PathNode = { parent: at, key };
      const parsed = parseMapKey(keyType, key);
      if (parsed === undefined) this.findings.error(entry, 'type', `the key must be ${describeScalar(keyType)}`);
      else if (this.#constraints && rules?.keys?.type) {
        applyValueRules(rules.keys.type, parsed, undefined, (breach) =>
          this.findings.error(entry, `map.keys.${breach.rule}`, `the key ${breach.message}`),
        );
      }
      this.#value(field, field.value, json[key] as JsonValue, entry, rules?.values);
    }
  }

  /** Checks one value and returns it parsed where it is a scalar or an enum. */
  #value(
    field: FieldPlan,
    value: ValuePlan,
    json: JsonValue,
    at: PathNode,
    rules: FieldRules | undefined,
  ): Scalar | undefined {
    if (value.kind === 'message') {
      const plan = value.message();
      if (json === null && plan.wellKnown !== 'value') this.#wrongType(at, 'a value', json);
      else {
        this.message(plan, json, at, rules);
        if (this.#constraints && plan.wellKnown === 'duration') checkSign(field, json, at, this.findings);
      }
      return undefined;
    }
    const parsed = value.kind === 'scalar' ? parseScalar(value.scalar, json) : parseEnum(value, json);
    if (parsed === undefined) {
      if (value.kind === 'enum') this.findings.error(at, 'enum', describeBadEnum(value.enumeration, json));
      else
        this.#wrongType(
          at,
          describeScalar(value.scalar),
          field.sensitive && typeof json === 'string' ? 'another text' : json,
        );
      return undefined;
    }
    const enumeration = value.kind === 'enum' ? value.enumeration : undefined;
    if (this.#constraints && rules?.type) {
      applyValueRules(rules.type, parsed, enumeration, (breach) =>
        this.findings.error(at, breach.rule, breach.message),
      );
    }
    if (this.#options.constraints && enumeration) reportDeprecatedEnum(enumeration, Number(parsed), at, this.findings);
    return parsed;
  }

  #wellKnown(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, rules: FieldRules | undefined): void {
    if (plan.wellKnown === 'any') this.#any(plan, json, path, rules);
    else if (plan.wellKnown === 'wrapper') this.#wrapper(plan, json, path, rules);
    else if (plan.wellKnown) {
      const wanted = findMissedForm(plan.wellKnown, json);
      if (wanted !== undefined) this.#wrongType(path, wanted, json);
      else if (isFreeForm(plan.wellKnown)) checkJsonDepth(json, path, this.#depth, this.findings);
      else if (this.#constraints && rules?.type) checkWellKnown(rules.type, json, path, this.findings);
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
    if (!this.#constraints || !rules?.type) return;
    applyValueRules(rules.type, parsed, undefined, (breach) => this.findings.error(path, breach.rule, breach.message));
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
    const type = findTypeOfAny(this.#planner, json, at, this.findings);
    if (!type) return;
    if (this.#constraints && rules?.type?.kind === 'any') checkWellKnown(rules.type, type.url, at, this.findings);
    const inner = type.plan;
    const before = this.#constraints;
    this.#constraints = this.#options.constraints && inner.validated;
    if (inner.wellKnown) this.#boxed(inner, json, path);
    else this.#fields(inner, json, path, true);
    this.#constraints = before;
  }

  /** In an Any, a message with a JSON form of its own stands under `value`. */
  #boxed(inner: MessagePlan, json: JsonObject, path: PathNode | undefined): void {
    for (const key of Object.keys(json)) {
      if (key === '@type' || key === 'value') continue;
      this.findings.error(
        { parent: path, key },
        'unknown_field',
        `${inner.typeName} in an Any has "value" and nothing else`,
      );
    }
    this.message(inner, json.value ?? null, { parent: path, key: 'value' });
  }

  #wrongType(path: PathNode | undefined, wanted: string, json: JsonValue): void {
    this.findings.error(path, 'type', `must be ${wanted}, not ${nameJson(json)}`);
  }
}
