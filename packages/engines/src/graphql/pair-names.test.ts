import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isListName, isPhpListName, isQueryName } from './pair-names.ts';

function decode(name: string, escapes: RegExp): string {
  return name.replaceAll('+', ' ').replaceAll(escapes, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}

const PLAIN = /%([0-7][0-9a-f])/gi;
const WIDE = /%(?:u00)?([0-7][0-9a-f])/gi;

const spelled = (word: string) =>
  fc
    .tuple(...[...word].map((letter) => fc.tuple(fc.constant(letter), fc.constantFrom('', '', '', '%', '%u00', 'up'))))
    .map((letters) =>
      letters
        .map(([letter, mark]) => {
          if (mark === 'up') return letter.toUpperCase();
          return mark === '' ? letter : mark + letter.charCodeAt(0).toString(16);
        })
        .join(''),
    );
const signs = fc
  .array(
    fc.constantFrom(
      '[',
      ']',
      '%5b',
      '%5D',
      '%u005b',
      '+',
      ' ',
      '%20',
      '%0a',
      '\n',
      '%00',
      '\0',
      '%',
      '%255b',
      'x',
      '\u00a0',
    ),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''));

it('names are recognized after decoding', () => {
  const opening = fc.constantFrom('[', '%5b', '[]', '[%5B');
  const closing = fc.constantFrom(']', '%5D', '');
  const name = fc.oneof(
    fc.tuple(signs, spelled('query'), signs),
    fc.tuple(signs, fc.oneof(spelled('query'), spelled('_json')), signs, spelled('query'), signs),
    fc.tuple(spelled('_json'), opening, spelled('query'), closing, signs),
  );
  const found = new Set<string>();
  fc.assert(
    fc.property(name, (parts) => {
      const text = parts.join('');
      const isQuery = /^[\s[\]]*query(?:\]|\0|$)/i.test(decode(text, WIDE));
      const isItem = /^[\s[\]]*_json\]*\[.*[[\]]query(?:[\]\0\n]|$)/is.test(decode(text, PLAIN));
      const isPhpItem = /^[^[]+\[query\]/i.test(decode(text, PLAIN));
      if (isQuery) found.add('query');
      if (isItem) found.add('item');
      if (isPhpItem) found.add('item of PHP');
      expect([isQueryName(text), isListName(text), isPhpListName(text)]).toEqual([isQuery, isItem, isPhpItem]);
    }),
    { numRuns: 10_000 },
  );
  expect(found.size).toBe(3);
});

it.each(['[', ']', '%5b', '%20', '%u0020', '+', '_json['])('a name of 16 MiB is read to its end: %s', (part) => {
  const name = part.repeat((1 << 24) / part.length);
  expect(isQueryName(`${name}query`)).toBe(part !== '_json[');
  expect(isQueryName(`${name}x`)).toBe(false);
  expect(isListName(`_json[${name}]query`)).toBe(true);
  expect(isPhpListName(`x${name}x`)).toBe(false);
});
