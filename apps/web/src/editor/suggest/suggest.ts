import { wellKnownOf } from '@flotilla/envoy-rules';
import type { SchemaSource } from '../../forms/schema-source.ts';
import type { Cursor } from '../document/cursor.ts';
import type { Language } from '../document/tree.ts';
import { describeType } from '../schema/constraint.ts';
import {
  type Expected,
  expectedAt,
  findField,
  type ObjectSchema,
  objectSchemaOf,
  stepInto,
  type Walked,
} from '../schema/expected.ts';
import { type Types, withTypes } from '../schema/types.ts';
import { TYPE_URL_PREFIX, unwrap } from '../schema/well-known.ts';
import { suggestExtensions, suggestReferences, suggestTypeUrls } from './extensions.ts';
import { list, literal, type Skeleton, skeletonOfField, skeletonOfValue } from './skeleton.ts';
import type { Snippet, Suggestion } from './suggestion.ts';
import { texts } from './texts.ts';

const text = texts.field;

export interface SuggestRequest {
  readonly source: SchemaSource;
  readonly type: string;
  readonly language: Language;
  readonly snippets?: readonly Snippet[];
}

/**
 * Suggests what fits at the cursor: names of unset fields, values, types and stored documents. Sorts by rank, then by name. Returns an
 * empty list if the schema does not describe the place. Rejects if the source does.
 */
export async function suggestAt(cursor: Cursor, request: SuggestRequest, signal?: AbortSignal): Promise<Suggestion[]> {
  const found = await withTypes(request.source, (types) => collect(cursor, request, types), signal);
  const { walked, own } = found;
  const { expected } = walked;
  const later =
    cursor.place === 'key'
      ? await keysFromSource(cursor, request, walked)
      : await valuesFromSource(request, cursor, walked);
  signal?.throwIfAborted();
  if (cursor.place === 'key' && expected?.kind === 'value' && expected.shape === 'list')
    return [...own, ...later].map(asItem);
  return [...own, ...later];
}

function collect(cursor: Cursor, request: SuggestRequest, types: Types): { walked: Walked; own: Suggestion[] } {
  const walked = expectedAt(request.type, cursor.root, cursor.path, types);
  const { expected, node } = walked;
  if (expected === undefined || expected.kind !== 'value') return { walked, own: [] };
  if (cursor.place === 'value') return { walked, own: valuesOf(expected, request, types) };
  // In YAML the first item begins a list
  if (expected.shape === 'list') {
    const item = stepInto(expected, node, 0, types);
    return {
      walked,
      own: item?.kind === 'value' && cursor.siblings.length === 0 ? valuesOf(item, request, types) : [],
    };
  }
  const schema = objectSchemaOf(expected, node, types);
  return {
    walked,
    own: schema ? [...snippetsAmong(request, schema, cursor.siblings), ...fieldsOf(schema, cursor.siblings)] : [],
  };
}

function valuesOf(expected: Expected & { kind: 'value' }, request: SuggestRequest, types: Types): Suggestion[] {
  const value = unwrap(expected.value);
  if (expected.shape === 'list')
    return request.language === 'json' ? [opening('[ ]', expected, list(skeletonOfValue(value)))] : [];
  if (expected.shape === 'map')
    return request.language === 'json' ? [opening('{ }', expected, { kind: 'object', members: [] })] : [];
  if (value.kind === 'scalar')
    return value.type === 'bool' ? [plain('true', literal(true)), plain('false', literal(false))] : [];
  if (value.kind === 'enum') {
    return value.values
      .filter((each) => !each.disallowed)
      .map(({ name, number, deprecated }) => ({
        ...plain(name, literal(name)),
        rank: number + (deprecated ? 10_000 : 0),
        deprecated,
      }));
  }
  const wellKnown = wellKnownOf(value.type);
  if (wellKnown !== undefined && wellKnown !== 'any' && wellKnown !== 'empty') return [];
  const snippets = (request.snippets ?? []).filter((snippet) => snippet.type === value.type).map(asSuggestion);
  if (request.language === 'json') return [...snippets, opening('{ }', expected, { kind: 'object', members: [] })];
  // An item of a list begins with one of its fields
  const schema = expected.field?.shape === 'list' ? objectSchemaOf(expected, undefined, types) : undefined;
  return schema ? [...snippets, ...fieldsOf(schema, [])] : snippets;
}

/** Filters and adapts snippets. In YAML a snippet needs no brackets: its members can be added to existing ones. */
function snippetsAmong(
  { snippets = [], language }: SuggestRequest,
  { message }: ObjectSchema,
  siblings: readonly string[],
): Suggestion[] {
  if (language === 'json') return [];
  const fits = ({ type, value }: Snippet) =>
    type === message.type_name && value.kind === 'object' && !value.members.some(({ key }) => siblings.includes(key));
  return snippets.filter(fits).map(asSuggestion);
}

/** Suggests unset names: the most used first, deprecated last. Omits disallowed fields and the other arms of a set oneof. */
function fieldsOf({ message, boxed }: ObjectSchema, siblings: readonly string[]): Suggestion[] {
  if (boxed)
    return siblings.includes('value')
      ? []
      : [
          {
            ...plain('value', { kind: 'hole' }),
            kind: 'field',
            insert: { kind: 'member', member: { key: 'value', value: { kind: 'hole' } } },
          },
        ];
  const set = new Set(siblings.map((key) => findField(message, key)?.name));
  const chosen = new Set(
    message.fields.filter((field) => set.has(field.name) && field.oneof).map((field) => field.oneof),
  );
  return message.fields
    .filter((field) => !set.has(field.name) && !field.disallowed && !(field.oneof && chosen.has(field.oneof)))
    .map((field, index) => ({
      label: field.name,
      kind: 'field',
      detail: describeType(field.value, field.shape, field.key_type),
      rank: index + (field.required ? 0 : field.common ? 1000 : 2000) + (field.deprecated ? 10_000 : 0),
      deprecated: field.deprecated,
      field,
      message,
      insert: { kind: 'member', member: { key: field.name, value: skeletonOfField(field) } },
    }));
}

async function keysFromSource(cursor: Cursor, { source }: SuggestRequest, { expected }: Walked): Promise<Suggestion[]> {
  if (expected?.kind !== 'value') return [];
  if (expected.shape === 'map') {
    if (expected.slot === undefined) return [];
    const choices = await source.extensions(expected.slot);
    return choices
      .filter(({ name }) => !cursor.siblings.includes(name))
      .map((choice) => {
        const value: Skeleton = {
          kind: 'object',
          members: [{ key: '@type', value: literal(TYPE_URL_PREFIX + choice.type) }],
        };
        const isAny = expected.value.kind === 'message' && wellKnownOf(expected.value.type) === 'any';
        const member = { key: choice.name, value: isAny ? value : skeletonOfValue(expected.value) };
        return {
          label: choice.name,
          kind: 'type',
          detail: choice.title ?? undefined,
          rank: choice.common ? 0 : 100,
          deprecated: choice.deprecated ?? false,
          insert: { kind: 'member', member },
        };
      });
  }
  const isAny = expected.value.kind === 'message' && wellKnownOf(expected.value.type) === 'any';
  const out: Suggestion[] = [];
  if (isAny && !cursor.siblings.includes('@type')) {
    out.push({
      ...plain('@type', { kind: 'text' }),
      kind: 'field',
      detail: text.namesMessage,
      rank: -1,
      insert: { kind: 'member', member: { key: '@type', value: { kind: 'text' } } },
    });
  }
  if (cursor.siblings.length === 0 && expected.shape === 'singular' && (isAny || expected.slot !== undefined)) {
    out.push(...(await suggestReferences(source, expected, 'member')));
  }
  return out;
}

async function valuesFromSource(
  { source }: SuggestRequest,
  cursor: Cursor,
  { expected, parent }: Walked,
): Promise<Suggestion[]> {
  if (expected?.kind === 'type_url') return suggestTypeUrls(source, expected.slot);
  const last = cursor.path.at(-1);
  if (last === '$ref' && parent?.kind === 'value') return suggestReferences(source, parent, 'value');
  if (expected?.kind !== 'value' || expected.shape !== 'singular') return [];
  const { field, value, slot } = expected;
  if (field?.refers_to && unwrap(value).kind === 'scalar') {
    const stored = await source.candidates({ collection: field.refers_to });
    return stored.items.map(({ ref }, index) => ({
      ...plain(ref, literal(ref)),
      kind: 'reference',
      detail: field.refers_to ?? undefined,
      rank: index,
    }));
  }
  if (last === 'name' && parent?.kind === 'value' && parent.slot !== undefined)
    return nameSuggestions(source, parent.slot);
  if (unwrap(value).kind !== 'message' || slot === undefined) return [];
  return [...(await suggestExtensions(source, expected)), ...(await suggestReferences(source, expected, 'object'))];
}

async function nameSuggestions(source: SchemaSource, slot: string): Promise<Suggestion[]> {
  const choices = await source.extensions(slot);
  return choices.map((choice) => ({
    ...plain(choice.name, literal(choice.name)),
    kind: 'type',
    detail: choice.title ?? undefined,
    rank: choice.common ? 0 : 100,
  }));
}

function plain(label: string, value: Skeleton): Suggestion {
  return { label, kind: 'value', detail: undefined, rank: 0, deprecated: false, insert: { kind: 'value', value } };
}

function opening(label: string, expected: Expected & { kind: 'value' }, value: Skeleton): Suggestion {
  return {
    ...plain(label, value),
    detail: describeType(expected.value, expected.shape, expected.field?.key_type),
    rank: 5000,
  };
}

function asSuggestion({ label, detail, value }: Snippet): Suggestion {
  return { ...plain(label, value), kind: 'snippet', detail, rank: -10 };
}

function asItem(suggestion: Suggestion): Suggestion {
  const { insert } = suggestion;
  const item: Skeleton = insert.kind === 'value' ? insert.value : { kind: 'object', members: [insert.member] };
  return { ...suggestion, insert: { kind: 'value', value: list(item) } };
}
