import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ENGINE_NAMES } from './engines/index.ts';
import { policyJsonSchema } from './whole-schema.ts';

const FILE = new URL('../../../docs/policy.schema.json', import.meta.url);

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | false;
  readonly anyOf?: readonly Schema[];
}

/** Visits every property with its path. */
function visit(schema: Schema, path: string, each: (path: string, schema: Schema) => void): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.${name}`;
    each(at, property);
    visit(property, at, each);
  }
  for (const below of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])])
    if (below) visit(below, path, each);
}

describe('the JSON Schema of policies', () => {
  const schema = policyJsonSchema() as Schema;

  it('is the one in docs/policy.schema.json (GOLDEN=write rewrites it)', () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env.GOLDEN === 'write') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it('describes every property', () => {
    const bare: string[] = [];
    visit(schema, '', (path, { description }) => {
      if (description === undefined) bare.push(path);
    });
    expect(bare).toEqual([]);
  });

  it('has defaults that it accepts', () => {
    let count = 0;
    visit(schema, '', (path, property) => {
      if (property.default === undefined) return;
      const { default: value, ...rest } = property;
      expect(z.fromJSONSchema(rest as z.core.JSONSchema.JSONSchema).safeParse(value).success, path).toBe(true);
      count += 1;
    });
    expect(count).toBeGreaterThan(30);
  });

  it('lets every engine be null, which disables an inherited one', () => {
    const document = (engines: unknown) => ({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'shop' },
      spec: { domains: [{ hosts: ['shop.example.com'], policy: { engines } }] },
    });
    const reader = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    for (const name of ENGINE_NAMES) expect(reader.safeParse(document({ [name]: null })).success, name).toBe(true);
    expect(reader.safeParse(document({ waf: null })).success).toBe(false);
    expect(reader.safeParse(document({ rate_limit: { requests_per_second: 0 } })).success).toBe(false);
  });
});
