import { findNearest } from '@flotilla/kit/nearest';
import type { FieldDescription } from '../../forms/schema-source.ts';
import { texts } from '../../texts/index.ts';
import type { Path } from '../document/path.ts';
import { type DocumentTree, locatePath, type Member, type ObjectNode, type TreeNode } from '../document/tree.ts';
import { findBreach, readRules, shortName } from './constraint.ts';
import {
  type Expected,
  expectMessage,
  findField,
  type ObjectSchema,
  objectSchemaOf,
  scalarOf,
  stepInto,
} from './expected.ts';
import { checkScalar, type Dialect, nameNode } from './scalar.ts';
import type { Types } from './types.ts';
import { typeNameOfUrl, unwrap, wellKnownOf } from './well-known.ts';

const text = texts.editor.schema.lint;

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
 * What the schema alone says against a document, in the order of the text: unknown fields, wrong JSON types, unknown enum values, broken
 * simple constraints, missing required fields. Messages that are not known yet are passed over; `withTypes` loads them.
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

  /** In proto-JSON a null sets nothing; in a policy only a whole engine may be switched off so. */
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
      const breach = findBreach(key, readRules(expected.field).key);
      if (breach) this.#add([...path, key], `map.keys.${breach.rule}`, text.key(breach.message), { at: 'key' });
      if (value) this.value(stepInto(expected, node, key, this.#types), value, [...path, key]);
    }
  }

  #size(field: FieldDescription | undefined, length: number, path: Path): void {
    const { min, max } = readRules(field).size;
    if (min !== undefined && length < min)
      this.#add(path, 'min_items', text.minItems(min, min === 1 ? 'entry' : 'entries'), { at: 'key' });
    if (max !== undefined && length > max)
      this.#add(path, 'max_items', text.maxItems(max, max === 1 ? 'entry' : 'entries'), { at: 'key' });
  }

  #single(expected: Expected & { kind: 'value' }, node: TreeNode, path: Path): void {
    const value = unwrap(expected.value);
    const wellKnown = value.kind === 'message' ? wellKnownOf(value.type) : undefined;
    if (wellKnown === 'value') return;
    const isScalar =
      value.kind !== 'message' || wellKnown === 'duration' || wellKnown === 'timestamp' || wellKnown === 'field_mask';
    if (isScalar) {
      const problem = checkScalar(value, node, this.#dialect);
      if (problem) {
        this.#add(path, problem.rule, problem.message);
        return;
      }
      const breach =
        node.kind === 'scalar' && node.value !== null
          ? findBreach(node.value, readRules(expected.field).value)
          : undefined;
      if (breach) this.#add(path, breach.rule, breach.message);
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
      const since = exact.deprecated_since ? texts.editor.schema.hover.deprecation.since(exact.deprecated_since) : '';
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
