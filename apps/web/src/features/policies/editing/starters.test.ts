import { findPolicyWarnings, parsePolicyDocument, replaceRawKeys } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { makeKey, STARTERS, withName } from './starters.ts';

describe('a starter policy', () => {
  it.each(STARTERS.map((starter) => [starter.id, starter] as const))('%s is accepted by the filter', (_, starter) => {
    const content = starter.make({ name: 'x', host: '*.example.com', key: makeKey() });
    const parsed = parsePolicyDocument({ path: 'x.yaml', content });
    expect(parsed.ok ? [] : parsed.error).toEqual([]);
  });

  it.each(STARTERS.filter(({ id }) => id !== 'empty').map((starter) => [starter.id, starter] as const))(
    '%s causes no warnings',
    (_, starter) => {
      const content = replaceRawKeys(starter.make({ name: 'x', host: '*.example.com', key: makeKey() })).text;
      expect(findPolicyWarnings([{ path: 'x.yaml', content }])).toEqual([]);
    },
  );

  it('with a key has it replaced by its digest', () => {
    const key = makeKey();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    for (const starter of STARTERS.filter(({ id }) => id === 'api-key' || id === 'detect')) {
      const stored = replaceRawKeys(starter.make({ name: 'x', host: 'a', key }));
      expect(stored.replaced).toBe(1);
      expect(stored.text).not.toContain(key);
    }
  });
});

it('can be renamed without other changes to the text', () => {
  expect(withName('# c\nmetadata: { name: a } # d\nspec: 1\n', 'b-2')).toBe(
    '# c\nmetadata: { name: "b-2" } # d\nspec: 1\n',
  );
  expect(withName('metadata: {', 'b')).toBe('metadata: {');
  expect(withName('metadata: {}', 'b')).toBe('metadata: {}');
});
