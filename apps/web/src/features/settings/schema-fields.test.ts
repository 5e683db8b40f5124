import { SETTINGS, secretPathsOf } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type FieldSpec, type JsonSchema, toFields } from './schema-fields.ts';
import { NO_SECRETS, toBody, withMember, withSecret } from './values.ts';

const fieldsOf = (schema: z.ZodObject) => toFields(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);

/** Returns the paths of all fields of a form, as in errors. */
function pathsOf(fields: readonly FieldSpec[], prefix = ''): string[] {
  return fields.flatMap((field) => {
    const path = prefix + field.name;
    return field.kind === 'group' ? pathsOf(field.fields, `${path}.`) : [path];
  });
}

/** Returns the paths of everything in a schema that is not constant. */
function leavesOf(schema: JsonSchema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (member.const !== undefined) return [];
    return member.type === 'object' && member.properties ? leavesOf(member, `${prefix}${name}.`) : [prefix + name];
  });
}

describe.each(SETTINGS.map((type) => [type.key, type] as const))('the form of %s', (_key, type) => {
  const fields = fieldsOf(type.schema);

  it('has an input for each field of the schema, and no JSON input', () => {
    expect(pathsOf(fields)).toEqual(leavesOf(z.toJSONSchema(type.schema, { io: 'input' }) as JsonSchema));
    const kinds = (all: readonly FieldSpec[]): string[] => all.flatMap(({ kind, fields }) => [kind, ...kinds(fields)]);
    expect(kinds(fields)).not.toContain('json');
  });

  it('has a secret input for every secret, and never sends one that was not typed', () => {
    const secret = (all: readonly FieldSpec[], prefix = ''): string[] =>
      all.flatMap((field) => {
        const path = prefix + field.name;
        return field.kind === 'secret' ? [path] : field.kind === 'group' ? secret(field.fields, `${path}.`) : [];
      });
    const paths = secretPathsOf(type.schema);
    expect(secret(fields).toSorted()).toEqual(paths.toSorted());
    for (const path of paths) {
      expect(JSON.stringify(toBody(fields, {}, NO_SECRETS))).not.toContain(path.split('.').at(-1));
      expect(JSON.stringify(toBody(fields, {}, withSecret(NO_SECRETS, path, 'typed')))).toContain('"typed"');
    }
  });

  it('sends back the values that it received', () => {
    if (type.named) return;
    const value = type.schema.parse({});
    expect(type.schema.parse(toBody(fields, value, NO_SECRETS))).toEqual(value);
  });
});

it('the project of a mapping rule is selected by name', () => {
  const directories = SETTINGS.filter(({ key }) => key === 'ldap' || key === 'oidc');
  const projects = directories
    .map(({ schema }) => fieldsOf(schema))
    .map((fields) => fields.find(({ name }) => name === 'mapping')?.fields.find(({ name }) => name === 'rules'))
    .map((rules) => rules?.fields.find(({ name }) => name === 'project')?.kind);
  expect(projects).toEqual(['project', 'project']);
});

it('texts, choices and lists are distinguished, also if they may be null', () => {
  const schema = z.strictObject({
    fixed: z.literal('a').default('a'),
    one: z.enum(['a', 'b']).nullable(),
    pem: z.string().max(65_536).nullable(),
    count: z.number().int().min(1).max(5),
    either: z.union([z.cidrv4(), z.cidrv6()]),
    lines: z.array(z.string()),
    things: z.array(z.object({ a: z.string() })),
    odd: z.array(z.number()),
  });
  expect(fieldsOf(schema).map(({ name, kind, isNullable }) => [name, kind, isNullable])).toEqual([
    ['one', 'choice', true],
    ['pem', 'file', true],
    ['count', 'number', false],
    ['either', 'text', false],
    ['lines', 'words', false],
    ['things', 'items', false],
    ['odd', 'json', false],
  ]);
});

it('empty lines and cleared values are omitted', () => {
  const fields = fieldsOf(z.strictObject({ hosts: z.array(z.string()), port: z.number().default(1) }));
  const values = withMember({ hosts: [' a ', '', 'b'], port: 5 }, 'port', undefined);
  expect(toBody(fields, values, NO_SECRETS)).toEqual({ hosts: ['a', 'b'] });
});
