import { AppError } from '@flotilla/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { renamePolicy } from './rename-policy.ts';

const body = (text: string, name = 'guard') => ({ name, text, files: [] });
const rename = (text: string, to = 'guard-2') => renamePolicy(body(text), to).text;

it('only its name is written anew: comments, order and spacing stay', () => {
  expect(rename('# top\nmetadata: { name: guard }   # mine\nspec: { name: guard }\n')).toBe(
    '# top\nmetadata: { name: "guard-2" }   # mine\nspec: { name: guard }\n',
  );
  expect(rename('metadata:\n  name: "guard"\nspec: {}\n')).toBe('metadata:\n  name: "guard-2"\nspec: {}\n');
  expect(rename('metadata:\n  name: >-\n    guard\nspec: {}\n')).toBe('metadata:\n  name: "guard-2"\nspec: {}\n');
  expect(rename('{"metadata": {"name": "guard"}}')).toBe('{"metadata": {"name": "guard-2"}}');
});

it('it is a text by every name, also by one that looks like a number', () => {
  const names = fc.oneof(
    fc.constantFrom('1.5', 'true', 'null', '0x10', '1e3', '12'),
    fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,20}[A-Za-z0-9]$/),
  );
  fc.assert(
    fc.property(names, (name) => {
      expect(parse(rename('metadata:\n  name: guard\nspec: { a: 1 }\n', name))).toEqual({
        metadata: { name },
        spec: { a: 1 },
      });
    }),
    { numRuns: 200 },
  );
});

it.each([
  'metadata: { name: &me guard }\nspec: { a: *me }\n',
  'x: &me guard\nmetadata: { name: *me }\n',
  'x: &me { name: guard }\nmetadata: *me\n',
  'metadata: { name: other }\n',
  'metadata: {}\n',
  '[]',
])('a name that is not in one place is refused: %j', (text) => {
  expect(() => rename(text)).toThrow(AppError);
});
