import { describe, expect, it } from 'vitest';
import { policyJsonSchema } from '../../../../../packages/policy/src/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { toMessages } from './to-messages.ts';

const schema = policyJsonSchema() as JsonSchema;

/** Every property of the schema as `policy.<title>.<name>`. */
function listProperties({ title, properties = {}, items, additionalProperties, anyOf = [] }: JsonSchema): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      `policy.${title}.${name}`,
      ...listProperties(property),
    ]),
    ...[items, additionalProperties || undefined, ...anyOf].flatMap((below) => (below ? listProperties(below) : [])),
  ];
}

/** The only field of a message with this property. */
function fieldOf(property: JsonSchema, required: readonly string[] = []) {
  const [converted] = toMessages({ title: 'Test', type: 'object', properties: { it: property }, required });
  return converted?.message.fields[0];
}

describe('the messages of the policy language', () => {
  it('have every property of the schema, and no other field', () => {
    const fields = toMessages(schema).flatMap(({ message }) =>
      message.fields.map(({ name }) => `${message.type_name}.${name}`),
    );
    expect(fields.length).toBeGreaterThan(80);
    expect(fields.toSorted()).toEqual([...new Set(listProperties(schema))].toSorted());
  });

  it('mark required and secret fields, and have the defaults as text', () => {
    const ofType = (type: string) => toMessages(schema).find(({ message }) => message.type_name === type);
    const entry = ofType('policy.ApiKeyEntry');
    expect(entry?.message.fields.filter(({ sensitive }) => sensitive).map(({ name }) => name)).toEqual(['key']);
    const limit = ofType('policy.RateLimit');
    expect(limit?.message.fields.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'requests_per_second',
    ]);
    expect(limit?.defaults).toEqual({ burst: '0', key: 'ip', share: 'proxy' });
  });

  it.each<[string, JsonSchema, object]>([
    [
      'a text',
      { type: 'string', minLength: 1, maxLength: 9 },
      { value: { kind: 'scalar', type: 'string' }, constraint: { string: { min_len: '1', max_len: '9' } } },
    ],
    ['a path', { type: 'string', pattern: '^\\/.*' }, { constraint: { string: { prefix: '/' } } }],
    [
      'a whole number without a maximum of its own',
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      { value: { kind: 'scalar', type: 'int64' }, constraint: { int64: { gte: '0' } } },
    ],
    [
      'a number above a bound',
      { type: 'number', exclusiveMinimum: 0, maximum: 5 },
      { value: { kind: 'scalar', type: 'double' }, constraint: { double: { gt: 0, lte: 5 } } },
    ],
    [
      'a constant',
      { title: 'Kind', type: 'string', const: 'Policy' },
      { value: { kind: 'enum', type: 'policy.Kind', values: [{ name: 'Policy', number: 0 }] } },
    ],
    [
      'a list',
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
      { shape: 'list', constraint: { repeated: { min_items: '1', items: { string: { min_len: '1' } } } } },
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'integer', minimum: 0, maximum: 9 } },
      { shape: 'map', key_type: 'string', constraint: { map: { values: { int64: { gte: '0', lte: '9' } } } } },
    ],
    [
      'a block that may be null',
      { title: 'Jwt', anyOf: [{ title: 'Jwt', type: 'object', properties: {} }, { type: 'null' }] },
      { shape: 'singular', value: { kind: 'message', type: 'policy.Jwt' } },
    ],
  ])('describe %s', (_, property, expected) => {
    expect(fieldOf(property)).toMatchObject(expected);
    expect(fieldOf(property)?.constraint === undefined).toBe(!('constraint' in expected));
    expect(fieldOf(property, ['it'])?.required).toBe(true);
  });

  it('refuse a value of an unknown type and a type without a title', () => {
    expect(() => fieldOf({ type: 'array', items: {} })).toThrow('unknown type');
    expect(() => fieldOf({ type: 'object' })).toThrow('without a title');
  });
});
