import fc from 'fast-check';

/**
 * One kind of program behind the filter: how it decodes, how often, and what separates segments for it. Written apart
 * from `path.ts`, character by character, so that one can be held against the other.
 */
export interface PathReader {
  readonly rounds: number;
  /** `keep`: an encoded slash or backslash stays in its segment; `lenient`: `%u002f` and over-long UTF-8 are decoded, too. */
  readonly decoding: 'plain' | 'keep' | 'lenient';
  readonly backslashSeparates: boolean;
  readonly parametersCut: boolean;
  /** Looks for a query after each round of decoding. */
  readonly queryCut: boolean;
  readonly caseFolded: boolean;
}

export const pathReader: fc.Arbitrary<PathReader> = fc.record({
  rounds: fc.constantFrom(0, 1, 2),
  decoding: fc.constantFrom('plain', 'keep', 'lenient'),
  backslashSeparates: fc.boolean(),
  parametersCut: fc.boolean(),
  queryCut: fc.boolean(),
  caseFolded: fc.boolean(),
});

/** What paths that mean mischief are made of; `guarded` is the segment that they want to reach unseen. */
export const PATH_PIECES = [
  ...['/', '//', '.', '..', ';', ';x', '\\', 'guarded', 'Guarded', 'public', 'x', '%', '%zz', '%3f', '%23', '%253f'],
  ...['%2f', '%2F', '%5c', '%2e', '%2E%2e', '%67uarded', '%47uarded', '%252f', '%255c', '%252e', '%2567uarded'],
  ...[
    '%3b',
    '%253b',
    '%u002f',
    '%u002e',
    '%U0067uarded',
    '%c0%af',
    '%c0%ae',
    '%c1%a7uarded',
    '%e0%80%af',
    '%25c0%25af',
  ],
] as const;

/** The path under which such a program looks for what it serves; no trailing slash. */
export function servePath(path: string, reader: PathReader): string {
  let text = path;
  for (let round = 0; round < reader.rounds; round++) {
    text = decode(text, reader.decoding);
    if (reader.queryCut) text = text.split(/[?#]/)[0] ?? '';
  }
  if (reader.backslashSeparates) text = text.split('\\').join('/');
  const stack: string[] = [];
  for (const segment of text.split('/')) {
    const name = reader.parametersCut ? (segment.split(';')[0] ?? '') : segment;
    if (name === '..') stack.pop();
    else if (name !== '' && name !== '.') stack.push(name);
  }
  const served = `/${stack.join('/')}`;
  return reader.caseFolded ? served.toLowerCase() : served;
}

function decode(text: string, decoding: PathReader['decoding']): string {
  let decoded = '';
  for (let i = 0; i < text.length; ) {
    const [length, code] = readCharacter(text, i, decoding === 'lenient');
    const character = String.fromCharCode(code);
    const isKept = decoding === 'keep' && (character === '/' || character === '\\');
    decoded += length === 0 || isKept ? text.slice(i, i + Math.max(length, 1)) : character;
    i += Math.max(length, 1);
  }
  return decoded;
}

/** Length and code of the escaped ASCII character at `at`; length 0 where there is none. */
function readCharacter(text: string, at: number, isLenient: boolean): [length: number, code: number] {
  const rest = text.slice(at, at + 9);
  const plain = /^%([0-7][0-9a-f])/i.exec(rest);
  if (plain) return [3, Number.parseInt(plain[1] ?? '', 16)];
  if (!isLenient) return [0, 0];
  const unicode = /^%u([0-9a-f]{4})/i.exec(rest);
  if (unicode) return [6, Number.parseInt(unicode[1] ?? '', 16)];
  const two = /^%c([01])%([89ab][0-9a-f])/i.exec(rest);
  if (two) return [6, Number(two[1]) * 64 + (Number.parseInt(two[2] ?? '', 16) & 63)];
  const three = /^%e0%8([01])%([89ab][0-9a-f])/i.exec(rest);
  if (three) return [9, Number(three[1]) * 64 + (Number.parseInt(three[2] ?? '', 16) & 63)];
  return [0, 0];
}
