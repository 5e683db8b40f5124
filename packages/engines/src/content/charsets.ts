/** How bytes in a charset are read. */
type Charset =
  /** ASCII is ASCII, and nothing else matters to a document's shape. */
  | { readonly kind: 'plain' }
  /** As it stands, or with every byte order. */
  | { readonly kind: 'utf-16' | 'utf-32' }
  /** By a decoder of Node. `isWide`: ASCII is ASCII, but may be the second half of another character (Shift JIS). */
  | { readonly kind: 'decoded'; readonly label: string; readonly isWide: boolean }
  /** Nobody here can say what it makes of bytes, ASCII included (UTF-7, EBCDIC, Python's `unicode_escape`). */
  | { readonly kind: 'unknown' };

/** What ASCII stands for in the charsets of a request: for itself `always`, `alone` (behind no byte above it), or `unknown`. */
export type AsciiMeaning = 'always' | 'alone' | 'unknown';

const PLAIN =
  /^(?:u8|utf8(?:mb3|mb4|n|sig|mac)?|unicode11utf8|cesu8|(?:us)?ascii|iso88591|latin1|l1|windows1252|cp1252|binary)$/;
const UTF16 = /^x?(?:u16|utf16|ucs2|unicode$|iso10646ucs2|csunicode|unicodefffe|unicodefeff)/;
const UTF32 = /^x?(?:u32|utf32|ucs4|iso10646ucs4)/;
/** Two bytes a character, the second of which may be one of ASCII. */
const WIDE = new Set(['gbk', 'gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);

/** What Java and Python call by the number of its code page. */
const CODE_PAGE = /^(?:cp|ms|x?windows)(932|936|949|950)$/;
const CODE_PAGES = new Map([
  ['932', 'shift_jis'],
  ['936', 'gbk'],
  ['949', 'euc-kr'],
  ['950', 'big5'],
]);

/** `name` in lowercase. Signs in it count for nothing: iconv-lite (Express) drops them, and `utf-.7` is UTF-7. */
export function readCharset(name: string): Charset {
  const letters = name.replaceAll(/[^a-z0-9]/g, '');
  if (PLAIN.test(letters)) return { kind: 'plain' };
  if (UTF16.test(letters)) return { kind: 'utf-16' };
  if (UTF32.test(letters)) return { kind: 'utf-32' };
  const codePage = CODE_PAGES.get(CODE_PAGE.exec(letters)?.[1] ?? '');
  if (codePage !== undefined) return { kind: 'decoded', label: codePage, isWide: true };
  for (const label of [name, name.replaceAll('_', '-'), letters]) {
    try {
      const { encoding } = new TextDecoder(label);
      return { kind: 'decoded', label: encoding, isWide: WIDE.has(encoding) };
    } catch {
      // Another spelling may be known.
    }
  }
  return { kind: 'unknown' };
}

/** A name is looked up, and a body decoded, once per charset; nobody who means well declares more. */
export const CHARSETS_MAX = 4;

/** What ASCII stands for where any of these may hold. `names` in lowercase. */
export function readAscii(names: readonly string[]): AsciiMeaning {
  if (names.length > CHARSETS_MAX) return 'unknown';
  let meaning: AsciiMeaning = 'always';
  for (const name of names) {
    const charset = readCharset(name);
    if (charset.kind === 'plain') continue;
    if (charset.kind !== 'decoded' || charset.label === 'iso-2022-jp') return 'unknown';
    if (charset.isWide) meaning = 'alone';
  }
  return meaning;
}

const PARAMETER = /charset(?:\*[*\d]*)?\s*=/;

/**
 * The charsets that a line's parameters name, in lowercase. One in quotes may hold escapes, and what ends it for others.
 * Of one in parts or in a charset of its own (RFC 2231: `charset*0=`, `charset*=`) nobody says here what it comes to.
 */
export function findCharsets(line: string): readonly string[] {
  if (!PARAMETER.test(line)) return [];
  const names: string[] = [];
  for (const [, name = ''] of line.matchAll(/charset\s*=\s*["']*([^"';,\s]+)/g)) names.push(name.replaceAll('\\', ''));
  for (const [, name = ''] of line.matchAll(/charset\s*=\s*"((?:[^"\\]|\\.)+)/g)) names.push(name.replaceAll('\\', ''));
  if (/charset\*[*\d]*\s*=/.test(line)) names.push('*');
  return names;
}
