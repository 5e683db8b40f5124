import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from './json-reader.ts';
import { nodeAt, toValue } from './tree.ts';

/** Includes lone surrogates. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
const messages = (text: string) => readJson(text).problems.map(({ message }) => message);

describe('the JSON reader', () => {
  it('returns the same value as JSON.parse, without a problem', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { root, problems } = readJson(text);
        expect(problems).toEqual([]);
        expect(toValue(root)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reports a problem in every text that JSON.parse rejects, and in no other', () => {
    const words = fc.array(
      fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '"', '1', 'true', 'x', ' ', '\n', '-0', '1e5', '\\'),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        let isJson = true;
        let duplicate = false;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const { root, problems } = readJson(text);
        duplicate = problems.some(({ rule }) => rule === 'duplicate_key');
        if (isJson) expect(problems.filter(({ rule }) => rule === 'syntax')).toEqual([]);
        else expect(problems.length > 0 || root === undefined || duplicate).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws, and every reported range is within the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { from, to } of readJson(text).problems) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(Math.max(text.length, 1));
        }
      }),
    );
  });

  it('explains what is missing or superfluous', () => {
    expect(messages('{"a": 1 "b": 2}')).toEqual(['A comma is missing before this']);
    expect(messages('{"a": 1,}')).toEqual(['Trailing comma before the closing bracket']);
    expect(messages('{"a": }')).toEqual(['A value is missing after the colon']);
    expect(messages('{a: 1}')).toEqual(['Names must be in double quotes']);
    expect(messages('{"a": [1, 2}')).toEqual(['This bracket is never closed: ] is missing']);
    expect(messages('{"a": "x\n}')).toEqual(['The closing quote is missing']);
    expect(messages('{"a": yes}')).toEqual(['Not a JSON value. Strings must be in double quotes']);
  });

  it('reports the second of two equal keys', () => {
    const text = '{"a": 1, "a": 2}';
    const [problem] = readJson(text).problems;
    expect(problem?.rule).toBe('duplicate_key');
    expect(text.slice(problem?.from, problem?.to)).toBe('"a"');
    expect(problem?.from).toBe(9);
  });

  it('keeps integers that JavaScript would round', () => {
    expect(nodeAt(readJson('{"a": 9223372036854775807}').root, ['a'])).toMatchObject({ value: 9223372036854775807n });
  });

  it('stops at its maximum depth', () => {
    expect(messages('['.repeat(100_000)).some((message) => message.startsWith('Nested deeper'))).toBe(true);
  });
});
