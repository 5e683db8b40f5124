import { expect, it } from 'vitest';
import { DEPTH_MAX, findFault } from './json-text.ts';

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":1,"c":[{"b":1},{"b":2,"b" : 3}]}}', 'b'],
  ['{"a":1,\n\t"\\u0061" :2}', 'a'],
  ['{"":1,"":2}', ''],
  ['{"é":{},"é":[]}', 'é'],
  ['{"say \\"x\\":":1,"say \\"x\\":":1}', 'say "x":'],
])('a repeated member is found in %s', (text, name) => {
  JSON.parse(text);
  expect(findFault(text)).toBe(`an object has the member ${JSON.stringify(name)} twice`);
});

it.each([
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1},"a","a"]',
  '{"a":"a","b":"\\"a\\":1,\\"a\\":2","c":["b","b"]}',
  '{"a\\\\":1,"a":"\\\\","b":"a\\\\"}',
  '"a"',
  '1',
])('no repeated member is found in %s', (text) => {
  JSON.parse(text);
  expect(findFault(text)).toBeUndefined();
});

it.each([
  ['{"a":{"__proto__":{}}}', 'a member named __proto__ is not allowed'],
  ['{"\\u005f_proto__":1}', 'a member named __proto__ is not allowed'],
  ['[{"a\\u0000":1}]', 'a member name holds NUL or a lone surrogate'],
  ['{"a":1,"b":["x","\\ud800"]}', 'the text of "" holds NUL or a lone surrogate'],
  ['{"a":1,"b":"\\u0000"}', 'the text of "b" holds NUL or a lone surrogate'],
  ['"\\udc00\\ud800"', 'the text of "" holds NUL or a lone surrogate'],
])('the text %s is refused: %s', (text, reason) => {
  JSON.parse(text);
  expect(findFault(text)).toBe(reason);
});

it('the nesting of objects and lists is limited to the maximum', () => {
  for (const [begin, end] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (depth: number) => `${begin.repeat(depth - 1)}[]${end.repeat(depth - 1)}`;
    expect(findFault(nested(DEPTH_MAX))).toBeUndefined();
    expect(findFault(nested(DEPTH_MAX + 1))).toBe('it is nested too deeply');
  }
});
