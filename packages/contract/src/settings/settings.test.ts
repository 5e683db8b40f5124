import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SETTINGS, secretPathsOf } from './index.ts';

describe.each(SETTINGS.map((type) => [type.key, type] as const))('the kind of settings %s', (_key, type) => {
  it('has no secret where it would not be found: in a list or a map', () => {
    const marked = JSON.stringify(z.toJSONSchema(type.schema, { io: 'input' })).split('"secret":true').length - 1;
    expect(secretPathsOf(type.schema)).toHaveLength(marked);
  });

  it('has defaults for all there is, where there is one document of it', () => {
    if (!type.named) expect(type.schema.safeParse({}).success).toBe(true);
  });

  it('names fields that it has', () => {
    for (const path of [...(type.sentTo ?? []), ...(type.wanted ?? [])]) {
      expect(JSON.stringify(z.toJSONSchema(type.schema, { io: 'input' }))).toContain(`"${path.split('.').at(-1)}":`);
    }
  });
});

it('keys are told apart', () => {
  expect(new Set(SETTINGS.map(({ key }) => key)).size).toBe(SETTINGS.length);
});

it('none has a member that could be taken for the record in which it is read', () => {
  expect(SETTINGS.filter(({ schema }) => 'value' in schema.shape).map(({ key }) => key)).toEqual([]);
});
