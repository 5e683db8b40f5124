import { applySize, checkValue, nameJson, typeNameOfUrl, wellKnownOf } from '@flotilla/envoy-rules';
import { findNearest } from '@flotilla/kit/nearest';
import { keyRulesOf, rulesOf, valueRulesOf } from '../../forms/model/rules.ts';
import type { FieldDescription } from '../../forms/schema-source.ts';
import type { Path } from '../document/path.ts';
import { type DocumentTree, locatePath, type Member, type ObjectNode, type TreeNode } from '../document/tree.ts';
import { shortName } from './constraint.ts';
import {
  type Expected,
  expectMessage,
  findField,
  type ObjectSchema,
  objectSchemaOf,
  scalarOf,
  stepInto,
} from './expected.ts';
import { texts } from './texts.ts';
import type { Types } from './types.ts';
import { unwrap } from './well-known.ts';

const text = texts.lint;

/** How strictly a document is checked: Envoy's proto-JSON allows other spellings, the policy language does not. */
export type Dialect = 'proto' | 'policy';

export interface Finding {
  readonly path: Path;
  readonly from: number;
  readonly to: number;
  readonly rule: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

const FINDINGS_MAX = 200;

/**
 * Checks a document against the schema, in text order: unknown fields, wrong JSON types, unknown enum values, broken
 * simple constraints, missing required fields. Skips messages that are not loaded; `withTypes` loads them.
 */
export function lintDocument(
  typeName: string,
  tree: DocumentTree,
  types: Types,
  dialect: Dialect = 'proto',
): Finding[] {
  const linter = new Linter(tree, types, dialect);
  if (tree.root) linter.value(expectMessage(typeName), tree.root, []);
  return linter.findings.sort((a, b) => a.from - b.from);
}

class Linter {
  readonly findings: Finding[] = [];
  readonly #tree: DocumentTree;
  readonly #types: Types;
  readonly #dialect: Dialect;

  constructor(tree: DocumentTree, types: Types, dialect: Dialect) {
    this.#tree = tree;
    this.#types = types;
    this.#dialect = dialect;
  }

  value(expected: Expected | undefined, node: TreeNode, path: Path): void {
    if (this.findings.length >= FINDINGS_MAX || expected === undefined || expected.kind === 'free') return;
    if (expected.kind === 'type_url') {
      if (node.kind !== 'scalar' || typeof node.value !== 'string') this.#add(path, 'any.type', text.typeUrl);
      return;
    }
    if (node.kind === 'scalar' && (node.broken || this.#isUnset(node, expected.field, path))) return;
    if (expected.shape === 'list') this.#list(expected, node, path);
    else if (expected.shape === 'map') this.#map(expected, node, path);
    else this.#single(expected, node, path);
  }

  /** Whether a null means unset, as in proto-JSON. In a policy it may only disable a whole engine. */
  #isUnset(node: TreeNode, field: FieldDescription | undefined, path: Path): boolean {
    if (scalarOf(node) !== null) return false;
    if (this.#dialect === 'proto')
      return (
        typeof path.at(-1) === 'string' ||
        (field?.value.kind === 'message' && wellKnownOf(field.value.type) === 'value')
      );
    return path.at(-2) === 'engines';
  }

  #list(expected: Expected & { kind: 'value' }, node: TreeNode, path: Path): void {
    if (node.kind !== 'list') {
      this.#add(path, 'type', text.list(nameNode(node)));
      return;
    }
    this.#size(expected.field, node.items.length, path);
    for (const [index, item] of node.items.entries())
      this.value(stepInto(expected, node, index, this.#types), item, [...path, index]);
  }

  #map(expected: Expected & { kind: 'value' }, node: TreeNode, path: Path): void {
    if (node.kind !== 'object') {
      this.#add(path, 'type', text.object(nameNode(node)));
      return;
    }
    this.#size(expected.field, node.members.length, path);
    for (const { key, value } of node.members) {
      this.#key(expected.field, key, [...path, key]);
      if (value) this.value(stepInto(expected, node, key, this.#types), value, [...path, key]);
    }
  }

  #key(field: FieldDescription | undefined, key: string, path: Path): void {
    const rules = field && keyRulesOf(field);
    for (const { rule, message } of checkValue({ kind: 'scalar', type: field?.key_type ?? 'string' }, rules, key))
      this.#add(path, `map.keys.${rule}`, text.key(message), { at: 'key' });
  }

  #size(field: FieldDescription | undefined, length: number, path: Path): void {
    const type = field && rulesOf(field)?.type;
    if (type?.kind === 'repeated' || type?.kind === 'map')
      applySize(type.kind, type.size, length, ({ rule, message }) => this.#add(path, rule, message, { at: 'key' }));
  }

  #single(expected: Expected & { kind: 'value' }, node: TreeNode, path: Path): void {
    const value = unwrap(expected.value);
    const wellKnown = value.kind === 'message' ? wellKnownOf(value.type) : undefined;
    if (wellKnown === 'value') return;
    const isScalar =
      value.kind !== 'message' || wellKnown === 'duration' || wellKnown === 'timestamp' || wellKnown === 'field_mask';
    if (isScalar) {
      const rules = expected.field && valueRulesOf(expected.field);
      const dialect = this.#dialect === 'policy' ? 'strict' : 'proto';
      for (const { rule, message } of checkValue(value, rules, shallow(node), { dialect }))
        this.#add(path, rule, message);
      return;
    }
    if (wellKnown === 'list_value') {
      if (node.kind !== 'list') this.#add(path, 'type', text.list(nameNode(node)));
      return;
    }
    if (node.kind !== 'object') {
      const type = value.kind === 'message' ? shortName(value.type) : '';
      this.#add(path, 'type', text.message(type, nameNode(node)));
      return;
    }
    if (wellKnown === 'struct' || node.members.some(({ key }) => key === '$ref')) return;
    if (wellKnown === 'any') this.#any(expected, node, path);
    else this.#members(expected, objectSchemaOf(expected, node, this.#types), node, path);
  }

  #any(expected: Expected & { kind: 'value' }, node: ObjectNode, path: Path): void {
    const url = node.members.findLast(({ key }) => key === '@type');
    if (!url) {
      if (node.members.length > 0) this.#add([...path, '@type'], 'any.type', text.typeMissing);
      return;
    }
    if (!url.value) return;
    this.value({ kind: 'type_url', slot: undefined }, url.value, [...path, '@type']);
    const name = typeNameOfUrl(scalarOf(url.value));
    if (scalarOf(url.value) !== undefined && name === undefined) {
      this.#add([...path, '@type'], 'any.type', text.typeUrl);
    } else if (name !== undefined && this.#types.get(name) === null) {
      this.#add([...path, '@type'], 'any.unknown_type', text.unknownMessage(JSON.stringify(name)));
    }
    this.#members(expected, objectSchemaOf(expected, node, this.#types), node, path);
  }

  #members(expected: Expected, schema: ObjectSchema | undefined, node: ObjectNode, path: Path): void {
    if (!schema) return;
    const set = new Map<string, FieldDescription>();
    for (const member of node.members) {
      if (schema.inAny && member.key === '@type') continue;
      if (schema.boxed) {
        if (member.key !== 'value')
          this.#add([...path, member.key], 'unknown_field', text.anyValueOnly, {
            at: 'key',
          });
      } else this.#member(schema, member, path, set);
      if (member.value)
        this.value(stepInto(expected, node, member.key, this.#types), member.value, [...path, member.key]);
    }
    if (!schema.boxed) this.#missing(schema, set, path);
  }

  #member(schema: ObjectSchema, { key, value }: Member, path: Path, set: Map<string, FieldDescription>): void {
    const { message } = schema;
    const at = [...path, key];
    const exact =
      this.#dialect === 'policy' ? message.fields.find(({ name }) => name === key) : findField(message, key);
    if (!exact) {
      const near = findNearest(
        key,
        message.fields.filter((field) => !field.disallowed).map(({ name }) => name),
        { camelCase: true },
      );
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      this.#add(at, 'unknown_field', text.unknownField(shortName(message.type_name), JSON.stringify(key), hint), {
        at: 'key',
      });
      return;
    }
    if (scalarOf(value) === null && this.#isUnset(value ?? { kind: 'scalar', from: 0, to: 0, value: null }, exact, at))
      return;
    if (set.has(exact.name)) this.#add(at, 'duplicate_field', text.setTwice(exact.name), { at: 'key' });
    const rival = exact.oneof ? [...set.values()].find((other) => other.oneof === exact.oneof) : undefined;
    if (rival && rival.name !== exact.name) this.#add(at, 'oneof', text.excludes(rival.name), { at: 'key' });
    set.set(exact.name, exact);
    if (exact.disallowed) this.#add(at, 'disallowed', exact.hint ?? text.disallowed, { at: 'key' });
    else if (exact.deprecated) {
      const since = exact.deprecated_since ? texts.hover.deprecation.since(exact.deprecated_since) : '';
      this.#add(at, 'deprecated', text.deprecated(since), { at: 'key', severity: 'warning' });
    }
  }

  #missing({ message }: ObjectSchema, set: ReadonlyMap<string, FieldDescription>, path: Path): void {
    for (const field of message.fields) {
      if (field.required && !set.has(field.name))
        this.#add([...path, field.name], 'required', text.required(field.name));
    }
    for (const oneof of message.oneofs) {
      if (oneof.required && !oneof.fields.some((name) => set.has(name))) {
        this.#add(path, 'oneof.required', text.oneRequired(oneof.fields.join(', ')), { at: 'key' });
      }
    }
  }

  #add(
    path: Path,
    rule: string,
    message: string,
    options: { at?: 'key' | 'value'; severity?: Finding['severity'] } = {},
  ): void {
    if (this.findings.length >= FINDINGS_MAX) return;
    const { from, to } = locatePath(this.#tree, path, options.at ?? 'value');
    this.findings.push({ path, from, to, rule, message, severity: options.severity ?? 'error' });
  }
}

/** Returns the value of a node for messages about its kind, without the content of an object or a list. */
function shallow(node: TreeNode): unknown {
  if (node.kind === 'object') return {};
  return node.kind === 'list' ? [] : node.value;
}

function nameNode(node: TreeNode): string {
  return nameJson(shallow(node));
}
