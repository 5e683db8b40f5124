import { findPolicyWarnings, parsePolicyDocument, replaceRawKeys } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { makeKey, STARTERS, withName } from './starters.ts';

describe('starters', () => {
  it.each(STARTERS.map((starter) => [starter.id, starter] as const))(
    '%s is a policy that the filter takes',
    (_, starter) => {
      const content = starter.make({ name: 'x', host: '*.example.com', key: makeKey() });
      const parsed = parsePolicyDocument({ path: 'x.yaml', content });
      expect(parsed.ok ? [] : parsed.error).toEqual([]);
    },
  );

  it.each(STARTERS.filter(({ id }) => id !== 'empty').map((starter) => [starter.id, starter] as const))(
    '%s has nothing that looks like a mistake',
    (_, starter) => {
      const content = replaceRawKeys(starter.make({ name: 'x', host: '*.example.com', key: makeKey() })).text;
      expect(findPolicyWarnings([{ path: 'x.yaml', content }])).toEqual([]);
    },
  );

  it('that bring a key have it replaced by its digest', () => {
    const key = makeKey();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    for (const starter of STARTERS.filter(({ id }) => id === 'api-key' || id === 'detect')) {
      const stored = replaceRawKeys(starter.make({ name: 'x', host: 'a', key }));
      expect(stored.replaced).toBe(1);
      expect(stored.text).not.toContain(key);
    }
  });
});

it('gives a text another name and leaves the rest of it alone', () => {
  expect(withName('# c\nmetadata: { name: a } # d\nspec: 1\n', 'b-2')).toBe(
    '# c\nmetadata: { name: "b-2" } # d\nspec: 1\n',
  );
  expect(withName('metadata: {', 'b')).toBe('metadata: {');
  expect(withName('metadata: {}', 'b')).toBe('metadata: {}');
});
