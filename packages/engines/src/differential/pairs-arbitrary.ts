import fc from 'fast-check';

/** In texts, each character is a byte. */
export const toBytes = (text: string) => Buffer.from(text).toString('latin1');

/** Documents that a policy may list: shallow and in ASCII. */
export const LISTED = ['{c}', 'query A{c}', '{c}#', '{c} # d;e', '{c(s:"what?")}', '{c(s:"&quot;")}'];

const MARK = toBytes('\ufeff');

const anyDocumentPiece = fc.constantFrom(
  ...['{c}', 'query A{c}', '{a{b{c}}}', 'query B{a{b{c}}}', '{a...F}', 'fragment F on Query{b{b{c}}}'],
  ...['{c(s:"', '"){b{c}}}', '")}', '"""', '"', '#', '\n', '\r', ',', ' ', '+', '\0', MARK],
  ...['?', '??', '&', ';', '=', '%', '#', ']=', '[', '&amp;', '&quot;', '&gt;', '%3F', '%23', '%0a', '%2'],
  ...['\xc3', '\xe4\xb8', '\xff', '\xc3\xa4', 'query=', '&query=', '?query=', ';query='],
);

export const anyDocument = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('{a{b{c}}}', 'query B{a{b{c}}}') },
  { weight: 2, arbitrary: fc.constantFrom(...LISTED) },
  { weight: 4, arbitrary: fc.array(anyDocumentPiece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')) },
);

const anyMethod = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('DELETE', 'PUT', 'delete') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('POST', 'DELETE ', ' PUT', 'DELETE\0', 'POST,DELETE', 'DELETE?', 'PUT;', 'x'),
  },
);

const anyNamePiece = fc.constantFrom(
  ...[
    '?',
    '??',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '+',
    '[',
    ']',
    '[]',
    '[0]',
    '.',
    '\0',
    MARK,
    '\xff',
    '\xc2',
    '\xa0',
    '&',
    ';',
  ],
  ...['#', '%', '/', '=', '"', "'", 'amp;', '&amp;', '_', 'a', '0', 'x[', '_json[]', '$', '\u00ad', '-'],
);

/** A name that some program may read as `word`. */
const anyNameOf = (word: string) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(word) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(word.toUpperCase(), `[${word}]`, `${word}[]`, `x[${word}]`, `_json[][${word}]`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(anyNamePiece, { maxLength: 2 }), fc.array(anyNamePiece, { maxLength: 1 }))
        .map(([before, behind]) => before.join('') + word + behind.join('')),
    },
  );

/** Spellings of a character; `raw` where allowed. */
type Spelling = 'raw' | 'lower' | 'upper' | 'wide' | 'twice' | 'long' | 'half';

const anySpelling: fc.Arbitrary<readonly Spelling[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<readonly Spelling[]>(['raw'], ['lower'], ['upper']) },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom<Spelling>('raw', 'lower', 'upper') },
        { weight: 1, arbitrary: fc.constantFrom<Spelling>('wide', 'twice', 'long', 'half') },
      ),
      { minLength: 1, maxLength: 7 },
    ),
  },
);

function spellCharacter(code: number, spelling: Spelling): string {
  const digits = code.toString(16).padStart(2, '0');
  switch (spelling) {
    case 'raw':
      return String.fromCharCode(code);
    case 'lower':
      return `%${digits}`;
    case 'upper':
      return `%${digits.toUpperCase()}`;
    case 'wide':
      return `%u00${digits}`;
    case 'twice':
      return `%25${digits}`;
    case 'long':
      return `%c${(code >> 6) & 1}%${((code & 0x3f) | 0x80).toString(16)}`;
    case 'half':
      return `%${digits.charAt(0)}${String.fromCharCode(code)}`;
  }
}

/** Spells each character of a text. Escapes characters that would end a pair, unless `isLoose`. */
function spell(text: string, spellings: readonly Spelling[], isLoose: boolean): string {
  return Array.from(text, (character, at) => {
    const spelling = spellings[at % spellings.length] ?? 'raw';
    if (spelling === 'raw' && character === ' ') return '+';
    if (spelling === 'raw' && !isLoose && /[&+%#]/.test(character))
      return spellCharacter(character.charCodeAt(0), 'upper');
    return spellCharacter(character.charCodeAt(0), spelling);
  }).join('');
}

const anyWordPair = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(anyNameOf('query'), anyDocument) },
  { weight: 3, arbitrary: fc.tuple(anyNameOf('_method'), anyMethod) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('', 'a', '0', 'a[b]', '0[query]', 'operationName', '?', '_charset_'),
      fc.constantFrom('', '1', 'A', 'B', 'what?', 'UTF-16'),
    ),
  },
);

const anyPair = fc
  .tuple(
    anyWordPair,
    fc.oneof(
      { weight: 12, arbitrary: fc.constant('=') },
      fc.constantFrom('', '==', ' =', '= ', '%3d', '[]=', ']=', '=\r\n'),
    ),
    anySpelling,
    anySpelling,
    fc.boolean(),
  )
  .map(
    ([[name, value], equals, ofName, ofValue, isLoose]) =>
      spell(name, ofName, true) + equals + spell(value, ofValue, isLoose),
  );

const anySeparator = fc.oneof(
  { weight: 8, arbitrary: fc.constant('&') },
  { weight: 2, arbitrary: fc.constantFrom(';', '?', '&?', '&amp;', '&&', '; ', '#', '\n', '%26', '&%20', '?&') },
);

const anyEdge = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.constantFrom('?', '??', '?&', '&?', `?${MARK}`, `${MARK}?`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('&', ';', '#', '/', '/?', MARK, ' ', '\r\n', '\0', '=', '%', 'a?', '%3F', '{', '['),
  },
);

/** Pairs as a client may send them in a form, with anything odd in them. */
export const anyPairs = fc
  .tuple(anyEdge, fc.array(fc.tuple(anyPair, anySeparator), { minLength: 1, maxLength: 4 }), anyEdge)
  .map(([before, pairs, behind]) => {
    const text = pairs.map(([pair, separator], at) => (at === pairs.length - 1 ? pair : pair + separator)).join('');
    return before + text + behind;
  });

/** The same as a URL query: escapes what HTTP does not allow there. */
export function toQuery(pairs: string): string {
  return pairs.replaceAll(
    /[^!-"$-~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
}
