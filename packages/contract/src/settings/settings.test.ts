import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SETTINGS } from './all.ts';
import { secretPathsOf } from './define.ts';

describe.each(SETTINGS.map((type) => [type.key, type] as const))('the kind of settings %s', (_key, type) => {
  it('has no secrets in lists or maps, where the search does not find them', () => {
    const marked = JSON.stringify(z.toJSONSchema(type.schema, { io: 'input' })).split('"secret":true').length - 1;
    expect(secretPathsOf(type.schema)).toHaveLength(marked);
  });

  it('has defaults for all fields unless its documents are named', () => {
    if (!type.named) expect(type.schema.safeParse({}).success).toBe(true);
  });

  it('refers only to fields of its schema', () => {
    for (const path of [...(type.sentTo ?? []), ...(type.wanted?.({}) ?? [])]) {
      expect(JSON.stringify(z.toJSONSchema(type.schema, { io: 'input' }))).toContain(`"${path.split('.').at(-1)}":`);
    }
  });
});

it('the keys of the settings are unique', () => {
  expect(new Set(SETTINGS.map(({ key }) => key)).size).toBe(SETTINGS.length);
});

it('no settings document has a member named like the record that contains it', () => {
  expect(SETTINGS.filter(({ schema }) => 'value' in schema.shape).map(({ key }) => key)).toEqual([]);
});
