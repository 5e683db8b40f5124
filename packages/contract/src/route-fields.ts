import * as z from 'zod';
import type { Schema } from './route.ts';

/** One member of a request's params, query or body, as a command line needs it. */
export interface RouteField {
  readonly isRequired: boolean;
  /** It takes several values. */
  readonly isList: boolean;
  readonly isNullable: boolean;
  /** All values that it takes; undefined if there are others. */
  readonly values: readonly string[] | undefined;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const NONE: ReadonlyMap<string, RouteField> = new Map();
const known = new WeakMap<Schema, ReadonlyMap<string, RouteField>>();

/** Returns the members of an object schema by name, in their order. A union has the members of all its alternatives. */
export function describeFields(schema: Schema | undefined): ReadonlyMap<string, RouteField> {
  if (!schema) return NONE;
  const found = known.get(schema) ?? readFields(schema);
  known.set(schema, found);
  return found;
}

function readFields(schema: Schema): ReadonlyMap<string, RouteField> {
  const fields = new Map<string, RouteField>();
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  for (const { properties = {}, required = [] } of alternativesOf(root))
    for (const [name, field] of Object.entries(properties))
      fields.set(name, toField(field, required.includes(name), fields.get(name)));
  return fields;
}

function toField(json: JsonSchema, isRequired: boolean, other: RouteField | undefined): RouteField {
  const ways = alternativesOf(json);
  const lists = ways.filter(({ type }) => type === 'array');
  const items = lists.length > 0 ? lists.flatMap(({ items }) => (items ? alternativesOf(items) : [])) : ways;
  const values = items.filter(({ type }) => type !== 'null').map(valuesOf);
  const isClosed = values.length > 0 && values.every((some) => some !== undefined);
  return {
    isRequired,
    isList: lists.length > 0,
    isNullable: ways.some(({ type }) => type === 'null'),
    values: isClosed ? [...new Set([...(other?.values ?? []), ...values.flat()])] : undefined,
  };
}

function valuesOf(json: JsonSchema): string[] | undefined {
  if (json.const !== undefined) return [String(json.const)];
  return json.enum?.map(String);
}

function alternativesOf(json: JsonSchema): readonly JsonSchema[] {
  return (json.anyOf ?? json.oneOf)?.flatMap(alternativesOf) ?? [json];
}
