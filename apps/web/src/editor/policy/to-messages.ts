import type { FieldDescription, MessageDescription, ValueDescription } from '../../forms/schema-source.ts';
import type { JsonSchema } from './json-schema.ts';

/** A message with the default values of its fields, as they would be written, by field name. */
export interface PolicyMessage {
  readonly message: MessageDescription;
  readonly defaults: Readonly<Record<string, string>>;
}

/**
 * Converts the JSON Schema of policies to messages like those of Envoy, so that the editor and the form need only one
 * kind of schema. Each object is a message `policy.<title>`; objects with the same title are the same message.
 */
export function toMessages(schema: JsonSchema): PolicyMessage[] {
  const messages = new Map<string, PolicyMessage>();
  addMessage(messages, schema);
  return [...messages.values()];
}

function addMessage(messages: Map<string, PolicyMessage>, schema: JsonSchema): void {
  const type = nameOf(schema);
  if (messages.has(type)) return;
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => ({ name, property }));
  const required = new Set(schema.required);
  messages.set(type, {
    message: {
      type_name: type,
      docs_url: '',
      deprecated: false,
      sorted: true,
      fields: properties.map(({ name, property }, index) =>
        toField({ name, number: index + 1, required: required.has(name) }, property),
      ),
      oneofs: [],
    },
    defaults: Object.fromEntries(
      properties.flatMap(({ name, property }) => ('default' in property ? [[name, String(property.default)]] : [])),
    ),
  });
  for (const { property } of properties) {
    const value = oneValueOf(property);
    if (value.type === 'object') addMessage(messages, value);
  }
}

function toField(
  place: Pick<FieldDescription, 'name' | 'number' | 'required'>,
  property: JsonSchema,
): FieldDescription {
  const constraint = constraintOf(property);
  return {
    ...place,
    value: toValue(oneValueOf(property)),
    hint: property.description ?? '',
    ...shapeOf(property),
    disallowed: false,
    sensitive: property.writeOnly ?? false,
    deprecated: false,
    common: true,
    ...(constraint && { constraint }),
  };
}

function shapeOf(property: JsonSchema): Pick<FieldDescription, 'shape' | 'key_type'> {
  if (property.type === 'array') return { shape: 'list' };
  return property.additionalProperties ? { shape: 'map', key_type: 'string' } : { shape: 'singular' };
}

/** The schema of one value: of an item of a list, of a value of a map, or of the block that may also be null. */
function oneValueOf(property: JsonSchema): JsonSchema {
  if (property.type === 'array') return property.items ?? {};
  if (property.additionalProperties) return property.additionalProperties;
  return property.anyOf?.find(({ type }) => type !== 'null') ?? property;
}

function toValue(schema: JsonSchema): ValueDescription {
  const names = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (names) {
    const values = names.map((name, number) => ({ name, number, deprecated: false, disallowed: false }));
    return { kind: 'enum', type: nameOf(schema), values };
  }
  switch (schema.type) {
    case 'object':
      return { kind: 'message', type: nameOf(schema) };
    case 'string':
      return { kind: 'scalar', type: 'string' };
    case 'boolean':
      return { kind: 'scalar', type: 'bool' };
    case 'integer':
      return { kind: 'scalar', type: 'int64' };
    case 'number':
      return { kind: 'scalar', type: 'double' };
    default:
      throw new Error(`the policy schema has a value of an unknown type: ${JSON.stringify(schema)}`);
  }
}

function nameOf({ title, ...schema }: JsonSchema): string {
  if (title === undefined) throw new Error(`the policy schema has a type without a title: ${JSON.stringify(schema)}`);
  return `policy.${title}`;
}

/** The rules in the form of protovalidate, as the API describes them for Envoy's messages. */
function constraintOf(property: JsonSchema): FieldDescription['constraint'] {
  const ofValue = ruleOf(oneValueOf(property));
  if (property.type === 'array') {
    const rules = numbers({ min_items: property.minItems, max_items: property.maxItems });
    const repeated = { ...rules, ...(ofValue && { items: ofValue }) };
    return Object.keys(repeated).length > 0 ? { repeated } : undefined;
  }
  return property.additionalProperties && ofValue ? { map: { values: ofValue } } : ofValue;
}

function ruleOf(schema: JsonSchema): Record<string, Record<string, unknown>> | undefined {
  if (schema.enum || schema.const !== undefined) return undefined;
  const { minimum, exclusiveMinimum, minLength, maxLength, pattern } = schema;
  // An integer without a maximum has that of JavaScript.
  const maximum = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const rules = {
    string: {
      ...numbers({ min_len: minLength, max_len: maxLength }),
      ...(pattern?.startsWith('^\\/') && { prefix: '/' }),
    },
    int64: numbers({ gte: minimum, lte: maximum }),
    double: defined({ gt: exclusiveMinimum, gte: minimum, lte: maximum }),
  };
  const kind = ({ string: 'string', integer: 'int64', number: 'double' } as const)[schema.type ?? ''];
  return kind && Object.keys(rules[kind]).length > 0 ? { [kind]: rules[kind] } : undefined;
}

/** 64-bit numbers are text in the JSON of Protobuf. */
function numbers(values: Readonly<Record<string, number | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(defined(values)).map(([name, value]) => [name, String(value)]));
}

function defined(values: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
