import { expect, it } from 'vitest';
import { findRepeatedMember } from './json-members.ts';

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":1,"c":[{"b":1},{"b":2,"b" : 3}]}}', 'b'],
  ['{"a":1,\n\t"\\u0061" :2}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"é":{},"é":[]}', 'é'],
  ['{"say \\"x\\":":1,"say \\"x\\":":1}', 'say "x":'],
])('%s has a member twice', (text, name) => {
  JSON.parse(text);
  expect(findRepeatedMember(text)).toBe(name);
});

it.each([
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1},"a","a"]',
  '{"a":"a","b":"\\"a\\":1,\\"a\\":2","c":["b","b"]}',
  '{"a\\\\":1,"a":"\\\\","b":"a\\\\"}',
  '"a"',
  '1',
])('%s has none twice', (text) => {
  JSON.parse(text);
  expect(findRepeatedMember(text)).toBeUndefined();
});
