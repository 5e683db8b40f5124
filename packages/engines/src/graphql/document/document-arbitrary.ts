import fc from 'fast-check';

/**
 * Documents for tests: the executable grammar and the type system's, as lists of tokens that are printed with allowed
 * but odd spacing. Few names, so that spreads match fragments; small, so that expanding them is cheap.
 */
type Tokens = readonly string[];

const NAMES = [
  'a',
  'b',
  'on',
  'query',
  'fragment',
  '__schema',
  '__type',
  '__typename',
  'true',
  'null',
  'A',
  'B',
  'C',
  'x1',
  'defer',
  'stream',
  '__proto__',
  'constructor',
];
const name = fc.constantFrom(...NAMES);
const fragmentName = fc.constantFrom('A', 'B', 'C', 'D', '__schema');

const literal = fc.constantFrom(
  '0',
  '-0',
  '12',
  '-1.5',
  '1e9',
  '0.1E+2',
  '1e-1',
  '""',
  '"x"',
  '"\\n\\"\\u0041\\u{1F600}\\uD83D\\uDE00"',
  '"é😀"',
  '""" block "" \\""" end """',
  '""""""',
  'true',
  'null',
  'ENUM',
);

function many(item: fc.Arbitrary<Tokens>, min: number, max: number): fc.Arbitrary<Tokens> {
  return fc.array(item, { minLength: min, maxLength: max }).map((items) => items.flat());
}

function sequence(...parts: readonly fc.Arbitrary<Tokens>[]): fc.Arbitrary<Tokens> {
  return fc.tuple(...parts).map((items) => items.flat());
}

function optional(item: fc.Arbitrary<Tokens>): fc.Arbitrary<Tokens> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant<Tokens>([]) }, item);
}

const word = (arbitrary: fc.Arbitrary<string>) => arbitrary.map((text): Tokens => [text]);
const fixed = (...tokens: string[]) => fc.constant<Tokens>(tokens);
const within = (open: string, item: fc.Arbitrary<Tokens>, close: string) => sequence(fixed(open), item, fixed(close));

const parts = fc.letrec<{
  value: Tokens;
  constant: Tokens;
  type: Tokens;
  selections: Tokens;
  selection: Tokens;
}>((tie) => {
  const literalOr = (nested: fc.Arbitrary<Tokens>, leaf: fc.Arbitrary<Tokens>) =>
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      within('[', many(nested, 0, 3), ']'),
      within('{', many(sequence(word(name), fixed(':'), nested), 0, 2), '}'),
    );
  const argumentsOf = (value: fc.Arbitrary<Tokens>) =>
    optional(within('(', many(sequence(word(name), fixed(':'), value), 1, 2), ')'));
  const directives = many(sequence(fixed('@'), word(name), argumentsOf(tie('value'))), 0, 2);
  return {
    value: literalOr(tie('value'), fc.oneof(word(literal), sequence(fixed('$'), word(name)))),
    constant: literalOr(tie('constant'), word(literal)),
    type: sequence(fc.oneof({ depthSize: 'small' }, word(name), within('[', tie('type'), ']')), optional(fixed('!'))),
    selections: within('{', many(tie('selection'), 0, 4), '}'),
    selection: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      sequence(
        fc.oneof(word(name), sequence(word(name), fixed(':'), word(name))),
        argumentsOf(tie('value')),
        optional(directives),
      ),
      sequence(fixed('...'), word(fragmentName), optional(directives)),
      sequence(word(name), tie('selections')),
      sequence(fixed('...'), optional(sequence(fixed('on'), word(name))), optional(directives), tie('selections')),
    ),
  };
});

const constDirectives = many(
  sequence(
    fixed('@'),
    word(name),
    optional(within('(', many(sequence(word(name), fixed(':'), parts.constant), 1, 2), ')')),
  ),
  0,
  2,
);
const description = optional(fixed('"about"'));
const inputValue = sequence(
  description,
  word(name),
  fixed(':'),
  parts.type,
  optional(sequence(fixed('='), parts.constant)),
  optional(constDirectives),
);
const inputs = optional(within('(', many(inputValue, 1, 2), ')'));
const fields = optional(
  within('{', many(sequence(description, word(name), inputs, fixed(':'), parts.type, constDirectives), 1, 2), '}'),
);
const interfaces = optional(sequence(fixed('implements'), optional(fixed('&')), word(name), optional(fixed('&', 'I'))));
const members = optional(sequence(fixed('='), optional(fixed('|')), word(name), optional(fixed('|', 'U'))));
const enumValues = optional(within('{', many(sequence(description, word(name), constDirectives), 1, 3), '}'));
const rootTypes = within(
  '{',
  many(sequence(word(fc.constantFrom('query', 'mutation')), fixed(':'), word(name)), 1, 2),
  '}',
);

const variable = sequence(
  description,
  fixed('$'),
  word(name),
  fixed(':'),
  parts.type,
  optional(sequence(fixed('='), parts.constant)),
  optional(constDirectives),
);

const executable = fc.oneof(
  parts.selections,
  sequence(
    description,
    word(fc.constantFrom('query', 'mutation', 'subscription')),
    optional(word(name)),
    optional(within('(', many(variable, 1, 2), ')')),
    optional(constDirectives),
    parts.selections,
  ),
  sequence(
    description,
    fixed('fragment'),
    word(fragmentName),
    fixed('on'),
    word(name),
    optional(constDirectives),
    parts.selections,
  ),
);

const typeSystem = sequence(
  fc.oneof(description, fixed('extend')),
  fc.oneof(
    sequence(fixed('schema'), constDirectives, optional(rootTypes)),
    sequence(fixed('scalar'), word(name), constDirectives),
    sequence(word(fc.constantFrom('type', 'interface')), word(name), interfaces, constDirectives, fields),
    sequence(fixed('union'), word(name), constDirectives, members),
    sequence(fixed('enum'), word(name), constDirectives, enumValues),
    sequence(fixed('input'), word(name), constDirectives, optional(within('{', many(inputValue, 1, 2), '}'))),
    sequence(
      fixed('directive', '@'),
      word(name),
      inputs,
      constDirectives,
      optional(fixed('repeatable')),
      optional(
        sequence(fixed('on'), optional(fixed('|')), word(fc.constantFrom('FIELD', 'QUERY', 'OBJECT', 'toString'))),
      ),
    ),
  ),
);

const WORDLIKE = /^[\w."-]/;
const SPACES = [' ', ',', '\n', '\t', '\r\n', '\r', '#"{ \n', '\ufeff', ' , '];

/** Joins tokens with the spaces from `picks`, and without a space where none is needed. */
function print(tokens: Tokens, picks: readonly number[]): string {
  let text = '';
  for (const [index, token] of tokens.entries()) {
    const pick = picks[index % picks.length] ?? 0;
    const isNeeded = /[\w.]$/.test(text) && WORDLIKE.test(token);
    text += (pick >= SPACES.length && !isNeeded ? '' : SPACES[pick % SPACES.length]) + token;
  }
  return text;
}

export const documentTokens: fc.Arbitrary<Tokens> = many(
  fc.oneof({ weight: 6, arbitrary: executable }, { weight: 1, arbitrary: typeSystem }),
  1,
  5,
);

export const documentText: fc.Arbitrary<string> = fc
  .tuple(documentTokens, fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 7 }))
  .map(([tokens, picks]) => print(tokens, picks));

/** A document with an error, or changed into another valid one. */
export const mutatedDocument: fc.Arbitrary<Buffer> = fc
  .tuple(
    documentTokens,
    fc.array(
      fc.record({
        kind: fc.constantFrom('flip', 'truncate', 'duplicate', 'swap', 'insert'),
        at: fc.nat(),
        to: fc.nat(),
        byte: fc.oneof(
          fc.integer({ min: 0, max: 255 }),
          fc.constantFrom(...Buffer.from('{}[]()"\\.,:#@$!=|&01e-\0\n\r     ,,')),
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([tokens, changes]) => {
    const list = [...tokens];
    for (const { kind, at, to } of changes) {
      if (kind !== 'swap') continue;
      const [from, onto] = [at % list.length, to % list.length];
      [list[from], list[onto]] = [list[onto] ?? '', list[from] ?? ''];
    }
    let bytes = Buffer.from(print(list, [changes[0]?.to ?? 0, 0, 20]));
    for (const { kind, at, to, byte } of changes) {
      const from = at % (bytes.length + 1);
      const onto = to % (bytes.length + 1);
      if (kind === 'flip' && from < bytes.length) bytes[from] = byte;
      if (kind === 'truncate') bytes = bytes.subarray(0, from);
      if (kind === 'insert')
        bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from([byte]), bytes.subarray(from)]);
      if (kind === 'duplicate') {
        const piece = bytes.subarray(Math.min(from, onto), Math.max(from, onto));
        bytes = Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from)]);
      }
    }
    return bytes;
  });
