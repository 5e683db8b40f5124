import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from './strict-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

describe('parseStrictJson', () => {
  it('reads what a common parser reads if no name is repeated', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('rejects a duplicate member, at any depth and in any spelling', () => {
    const names = fc.string({ minLength: 1, maxLength: 4, unit: 'binary' });
    const spell = (name: string, isEscaped: boolean) => {
      const units = [...name].flatMap((char) => Array.from({ length: char.length }, (_, i) => char.charCodeAt(i)));
      return isEscaped
        ? `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
        : JSON.stringify(name);
    };
    fc.assert(
      fc.property(
        names,
        fc.json({ maxDepth: 1 }),
        fc.boolean(),
        fc.boolean(),
        fc.nat(5),
        (name, value, a, b, depth) => {
          const object = `{${spell(name, a)}:${value},"":1,${spell(name, b)}:${value}}`.replace(
            ',"":1',
            name === '' ? '' : ',"":1',
          );
          expect(parse('[{"x":'.repeat(depth) + object + '}]'.repeat(depth))).toBeUndefined();
        },
      ),
    );
  });

  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{a:1}', '[1]]', '\ufeff{}', 'NaN', '{"a":1}//', '"\n"'])(
    'refuses %j',
    (text) => expect(parse(text)).toBeUndefined(),
  );

  it('counts brackets and braces alike, and ignores those in texts', () => {
    const text = JSON.stringify(`\\"${'[{'.repeat(40)}`);
    for (const [open, close] of ['[]', '{}'].map((pair) => [...pair])) {
      const deep = (levels: number) => {
        const inner = open === '{' ? '{"a":' : '[';
        return `${inner.repeat(levels - 1)}${open === '{' ? `{"a":${text}}` : `[${text}]`}${(close ?? '').repeat(levels - 1)}`;
      };
      expect(parse(deep(32))).toEqual(JSON.parse(deep(32)));
      expect(parse(deep(33))).toBeUndefined();
    }
    expect(parse(`[${'[[]],'.repeat(1000)}[]]`)).toHaveLength(1001);
  });

  it('rejects nesting of millions of levels before parsing', () => {
    const levels = 8_000_000;
    expect(parse('['.repeat(levels) + ']'.repeat(levels))).toBeUndefined();
  });

  it('rejects bytes that are not UTF-8, and nesting above its limit', () => {
    expect(parseStrictJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toBeUndefined();
    expect(parse('['.repeat(32) + ']'.repeat(32))).toBeDefined();
    expect(parse('['.repeat(33) + ']'.repeat(33))).toBeUndefined();
    expect(parse('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toBeUndefined();
  });
});
