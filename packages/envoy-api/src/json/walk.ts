import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { typeNameOfUrl } from '@flotilla/envoy-rules';
import type { FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { MAX_WALK_DEPTH } from './limits.ts';
import { isJsonObject } from './object.ts';
import { formatPath, type PathNode } from './path.ts';

/** A field as visitors see it. `name` is snake_case whatever the document wrote. */
export interface VisitedField {
  readonly name: string;
  readonly number: number;
  /** The message that declares and contains it. */
  readonly owner: string;
  readonly shape: 'singular' | 'list' | 'map';
  readonly kind: 'scalar' | 'enum' | 'message';
  /** For a message field. */
  readonly messageType: string | undefined;
  readonly sensitive: boolean;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
}

export interface MessageVisit {
  /** JSON path from the root, with keys as in the document. */
  readonly path: string;
  readonly typeName: string;
  /** For an Any, its content: `typeName` is the inner message, and the value still contains `@type`. */
  readonly value: JsonValue;
}

export interface FieldVisit {
  readonly path: string;
  readonly field: VisitedField;
  /** A single value: each item of a list and each value of a map is visited. */
  readonly value: JsonValue;
}

export interface Visitor {
  /** Called before the message's fields. Return `'skip'` to skip them. */
  message?(visit: MessageVisit): 'skip' | undefined;
  /** Called for every set field, before its content. Return `'skip'` to skip the content. */
  field?(visit: FieldVisit): 'skip' | undefined;
}

/**
 * Visits every message and every set field, also inside Any. The input need not be valid: skips mismatches (unknown
 * keys, wrong types, unknown `@type`) and references (`$ref`). Does not enter Struct and Value, which are free-form,
 * except for a TypedStruct, which Envoy reads as the message it names.
 */
export function walkMessage(planner: Planner, plan: MessagePlan, json: JsonValue, visitor: Visitor): void {
  new Walker(planner, visitor).message(plan, json, undefined, 0);
}

class Walker {
  readonly #planner: Planner;
  readonly #visitor: Visitor;

  constructor(planner: Planner, visitor: Visitor) {
    this.#planner = planner;
    this.#visitor = visitor;
  }

  message(plan: MessagePlan, json: JsonValue, path: PathNode | undefined, depth: number): void {
    if (depth >= MAX_WALK_DEPTH || !isJsonObject(json) || Object.hasOwn(json, '$ref')) return;
    if (plan.wellKnown === 'any') {
      this.#any(json, path, depth);
      return;
    }
    if (plan.wellKnown) return;
    if (this.#visitor.message?.(new LazyMessageVisit(path, plan.typeName, json)) === 'skip') return;
    for (const key of Object.keys(json)) {
      const field = plan.byKey.get(key);
      const value = json[key];
      if (field && value !== undefined && value !== null) this.#field(field, value, { parent: path, key }, depth);
    }
    const carried = plan.typedStruct ? this.#planner.findInTypedStruct(json) : undefined;
    if (carried) this.message(carried, json.value ?? null, { parent: path, key: 'value' }, depth + 1);
  }

  #any(json: JsonObject, path: PathNode | undefined, depth: number): void {
    const url = json['@type'];
    const inner = typeof url === 'string' ? this.#planner.find(typeNameOfUrl(url) ?? '') : undefined;
    if (!inner) return;
    if (inner.wellKnown) this.message(inner, json.value ?? null, { parent: path, key: 'value' }, depth + 1);
    else this.message(inner, json, path, depth + 1);
  }

  #field(field: FieldPlan, json: JsonValue, at: PathNode, depth: number): void {
    if (field.shape === 'list') {
      if (!Array.isArray(json)) return;
      for (const [key, item] of json.entries()) this.#value(field, item, { parent: at, key }, depth);
    } else if (field.shape === 'map') {
      if (!isJsonObject(json)) return;
      for (const key of Object.keys(json)) this.#value(field, json[key] as JsonValue, { parent: at, key }, depth);
    } else this.#value(field, json, at, depth);
  }

  #value(field: FieldPlan, json: JsonValue, at: PathNode, depth: number): void {
    if (json === null) return;
    if (this.#visitor.field?.(new LazyFieldVisit(at, describeField(field), json)) === 'skip') return;
    if (field.value.kind === 'message') this.message(field.value.message(), json, at, depth + 1);
  }
}

/** Computes the path on demand, because most visits never need it. */
class LazyMessageVisit implements MessageVisit {
  readonly typeName: string;
  readonly value: JsonValue;
  readonly #path: PathNode | undefined;

  constructor(path: PathNode | undefined, typeName: string, value: JsonValue) {
    this.#path = path;
    this.typeName = typeName;
    this.value = value;
  }

  get path(): string {
    return formatPath(this.#path);
  }
}

class LazyFieldVisit implements FieldVisit {
  readonly field: VisitedField;
  readonly value: JsonValue;
  readonly #path: PathNode;

  constructor(path: PathNode, field: VisitedField, value: JsonValue) {
    this.#path = path;
    this.field = field;
    this.value = value;
  }

  get path(): string {
    return formatPath(this.#path);
  }
}

const described = new WeakMap<FieldPlan, VisitedField>();

function describeField(field: FieldPlan): VisitedField {
  const known = described.get(field);
  if (known) return known;
  const value: ValuePlan = field.value;
  const visited: VisitedField = {
    name: field.name,
    number: field.number,
    owner: field.owner,
    shape: field.shape,
    kind: value.kind,
    messageType: value.kind === 'message' ? value.message().typeName : undefined,
    sensitive: field.sensitive,
    deprecated: field.deprecated,
    disallowed: field.disallowed,
  };
  described.set(field, visited);
  return visited;
}
