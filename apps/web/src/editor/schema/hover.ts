import type { FieldDescription, MessageDescription } from '../../forms/schema-source.ts';
import { type DocumentTree, positionAt } from '../document/tree.ts';
import { describeConstraints, describeType } from './constraint.ts';
import { expectedAt, findField, objectSchemaOf } from './expected.ts';
import { texts } from './texts.ts';
import type { Types } from './types.ts';

const text = texts.hover;

/** Information about the item under the pointer. */
export interface HoverCard {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly type: string;
  readonly hint: string | undefined;
  /** One sentence each, without a full stop. */
  readonly rules: readonly string[];
  readonly deprecated: string | undefined;
  readonly docsUrl: string | undefined;
}

export function hoverAt(typeName: string, tree: DocumentTree, offset: number, types: Types): HoverCard | undefined {
  const position = positionAt(tree.root, offset);
  const name = position?.path.at(-1);
  if (!position || name === undefined) return undefined;
  const { expected, parent, parentNode } = expectedAt(typeName, tree.root, position.path, types);
  const schema = objectSchemaOf(parent, parentNode, types);
  if (position.at === 'value' && (expected?.kind !== 'value' || expected.value.kind !== 'enum')) return undefined;
  const { from, to } = position;
  if (name === '@type') {
    const carried = schema?.message;
    return {
      from,
      to,
      title: text.hoverAt.typeName,
      type: 'the message that this Any carries',
      hint: carried?.type_name,
      rules: [],
      deprecated: undefined,
      docsUrl: carried?.docs_url,
    };
  }
  const field =
    schema && !schema.boxed ? findField(schema.message, name) : expected?.kind === 'value' ? expected.field : undefined;
  return field && { from, to, ...describeField(field, schema?.message) };
}

export function describeField(
  field: FieldDescription,
  message: MessageDescription | undefined,
): Omit<HoverCard, 'from' | 'to'> {
  const rules = describeConstraints(field);
  if (field.oneof) rules.push(text.describeField.oneWay(field.oneof.replaceAll('_', ' ')));
  if (field.refers_to) rules.push(text.describeField.namesStored(field.refers_to.replaceAll('_', ' ')));
  if (field.sensitive) rules.push(text.describeField.private);
  if (field.value.kind === 'enum')
    rules.push(
      text.describeField.values(
        listNames(field.value.values.filter((value) => !value.disallowed).map(({ name }) => name)),
      ),
    );
  return {
    title: field.name,
    type: describeType(field.value, field.shape, field.key_type),
    hint: field.hint ?? undefined,
    rules,
    deprecated: deprecation(field),
    docsUrl: docsUrlOf(field, message),
  };
}

function deprecation(field: FieldDescription): string | undefined {
  if (!field.deprecated && !field.disallowed) return undefined;
  const since = field.deprecated_since ? text.deprecation.since(field.deprecated_since) : '';
  return `Deprecated${since}${field.disallowed ? text.deprecation.refused : ''}`;
}

function listNames(names: readonly string[]): string {
  return names.length > 20
    ? text.listNames.andMore(names.slice(0, 20).join(', '), names.length - 20)
    : names.join(', ');
}

function docsUrlOf(field: FieldDescription, message: MessageDescription | undefined): string | undefined {
  if (message?.field_docs_url) return message.field_docs_url + field.name.replaceAll('_', '-');
  return message?.docs_url || undefined;
}
