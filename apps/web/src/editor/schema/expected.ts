import { toCamelCase, typeNameOfUrl, wellKnownOf } from '@flotilla/envoy-rules';
import type { FieldDescription, MessageDescription, ValueDescription } from '../../forms/schema-source.ts';
import type { Path, Step } from '../document/path.ts';
import { childOf, type TreeNode } from '../document/tree.ts';
import type { Types } from './types.ts';
import { unwrap } from './well-known.ts';

/** The kind of value that a place accepts. `free`: anything (a Struct, or unknown). `type_url`: the `@type` of an Any. */
export type Expected =
  | {
      readonly kind: 'value';
      readonly shape: 'singular' | 'list' | 'map';
      readonly value: ValueDescription;
      /** The field of the value, or the field whose list or map holds it. */
      readonly field: FieldDescription | undefined;
      /** Extension category of the place, also below a message that has it. */
      readonly slot: string | undefined;
    }
  | { readonly kind: 'type_url'; readonly slot: string | undefined }
  | { readonly kind: 'free' };

/** Members that an object at a place may have. */
export interface ObjectSchema {
  readonly message: MessageDescription;
  /** Whether the object is an Any, which adds `@type`. */
  readonly inAny: boolean;
  /** The message in the Any has its own JSON form, which goes under `value`. */
  readonly boxed: boolean;
  readonly slot: string | undefined;
}

/** A slot that accepts any extension. */
const ANY_SLOT = '*';
const FREE: Expected = { kind: 'free' };

export function expectMessage(typeName: string): Expected {
  return {
    kind: 'value',
    shape: 'singular',
    value: { kind: 'message', type: typeName },
    field: undefined,
    slot: undefined,
  };
}

export function expectField(field: FieldDescription, slot?: string): Expected {
  return {
    kind: 'value',
    shape: field.shape,
    value: field.value,
    field,
    slot: field.slot === undefined || field.slot === ANY_SLOT ? (slot ?? field.slot) : field.slot,
  };
}

/** Returns undefined if the schema is not loaded yet or the place has no members (a list, a scalar, a free form). */
export function objectSchemaOf(
  expected: Expected | undefined,
  node: TreeNode | undefined,
  types: Types,
): ObjectSchema | undefined {
  if (expected?.kind !== 'value' || expected.shape !== 'singular' || expected.value.kind !== 'message')
    return undefined;
  const { type } = expected.value;
  const wellKnown = wellKnownOf(type);
  const { slot } = expected;
  if (wellKnown === 'any') {
    const inner = typeNameOfUrl(scalarOf(childOf(node, '@type')));
    const message = inner === undefined ? undefined : types.get(inner);
    return message ? { message, inAny: true, boxed: isBoxed(message.type_name), slot } : undefined;
  }
  if (wellKnown !== undefined && wellKnown !== 'empty') return undefined;
  const message = types.get(type);
  return message ? { message, inAny: false, boxed: false, slot } : undefined;
}

export function isBoxed(typeName: string): boolean {
  const wellKnown = wellKnownOf(typeName);
  return wellKnown !== undefined && wellKnown !== 'empty';
}

/** Resolves one step of a path. undefined: the schema has no such member, or is not loaded yet. */
export function stepInto(
  expected: Expected | undefined,
  node: TreeNode | undefined,
  step: Step,
  types: Types,
): Expected | undefined {
  if (expected === undefined || expected.kind === 'type_url') return undefined;
  if (expected.kind === 'free') return FREE;
  if (expected.shape !== 'singular') {
    const fits = expected.shape === 'list' ? typeof step === 'number' : typeof step === 'string';
    return fits ? { ...expected, shape: 'singular' } : undefined;
  }
  const value = unwrap(expected.value);
  if (value.kind !== 'message') return undefined;
  const wellKnown = wellKnownOf(value.type);
  if (wellKnown === 'struct' || wellKnown === 'value' || wellKnown === 'list_value') return FREE;
  if (wellKnown === 'any' && step === '@type') return { kind: 'type_url', slot: expected.slot };
  const schema = objectSchemaOf(expected, node, types);
  if (!schema) return undefined;
  if (schema.boxed) return step === 'value' ? expectMessage(schema.message.type_name) : undefined;
  const field = findField(schema.message, step);
  // A message with a `typed_config` is the slot of the Any in it.
  return field && expectField(field, field.name === 'typed_config' ? expected.slot : undefined);
}

export function findField(message: MessageDescription, key: Step): FieldDescription | undefined {
  return (
    message.fields.find((field) => field.name === key) ??
    message.fields.find((field) => toCamelCase(field.name) === key)
  );
}

export interface Walked {
  readonly expected: Expected | undefined;
  readonly node: TreeNode | undefined;
  /** Schema of the parent of the last step. */
  readonly parent: Expected | undefined;
  readonly parentNode: TreeNode | undefined;
}

/** Walks a path through fields, lists, maps and Any, and returns what its end accepts. */
export function expectedAt(typeName: string, root: TreeNode | undefined, path: Path, types: Types): Walked {
  let walked: Walked = { expected: expectMessage(typeName), node: root, parent: undefined, parentNode: undefined };
  for (const step of path) {
    const { expected, node } = walked;
    walked = {
      expected: stepInto(expected, node, step, types),
      node: childOf(node, step),
      parent: expected,
      parentNode: node,
    };
  }
  return walked;
}

export function scalarOf(node: TreeNode | undefined): unknown {
  return node?.kind === 'scalar' ? node.value : undefined;
}
