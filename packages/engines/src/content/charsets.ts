/** How to read bytes in a charset. */
type Charset =
  /** ASCII bytes mean ASCII; nothing else affects the structure of a document. */
  | { readonly kind: 'plain' }
  /** As labelled, or with every byte order. */
  | { readonly kind: 'utf-16' | 'utf-32' }
  /** Decoded by Node. `isWide`: ASCII bytes mean ASCII, but may be the second half of another character (Shift JIS). */
  | { readonly kind: 'decoded'; readonly label: string; readonly isWide: boolean }
  /** The meaning of bytes is unknown, even of ASCII (UTF-7, EBCDIC, Python's `unicode_escape`). */
  | { readonly kind: 'unknown' };

/**
 * The meaning of ASCII bytes in the charsets of a request: always ASCII, only if no byte above ASCII precedes them
 * (`alone`), or `unknown`.
 */
export type AsciiMeaning = 'always' | 'alone' | 'unknown';

const PLAIN =
  /^(?:u8|utf8(?:mb3|mb4|n|sig|mac)?|unicode11utf8|cesu8|(?:us)?ascii|iso88591|latin1|l1|windows1252|cp1252|binary)$/;
const UTF16 = /^x?(?:u16|utf16|ucs2|unicode$|iso10646ucs2|csunicode|unicodefffe|unicodefeff)/;
const UTF32 = /^x?(?:u32|utf32|ucs4|iso10646ucs4)/;
/** Charsets with two-byte characters whose second byte may be in the ASCII range. */
const WIDE = new Set(['gbk', 'gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);

/** Names with which Java and Python denote code pages. */
const CODE_PAGE = /^(?:cp|ms|x?windows)(932|936|949|950)$/;
const CODE_PAGES = new Map([
  ['932', 'shift_jis'],
  ['936', 'gbk'],
  ['949', 'euc-kr'],
  ['950', 'big5'],
]);

/** `name` in lowercase. Ignores signs in it: iconv-lite (Express) drops them, so `utf-.7` is UTF-7. */
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
      // Node may know another spelling.
    }
  }
  return { kind: 'unknown' };
}

/** Each charset costs a lookup and a decoding; a well-meaning client does not declare more. */
export const CHARSETS_MAX = 4;

/** The meaning of ASCII bytes if any of these charsets may apply. `names` in lowercase. */
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
 * The charsets that a line's parameters name, in lowercase. A quoted value may contain escapes, and characters that end
 * it for other parsers. Values in parts or with their own charset (RFC 2231: `charset*0=`, `charset*=`) are not
 * resolved here.
 */
export function findCharsets(line: string): readonly string[] {
  if (!PARAMETER.test(line)) return [];
  const names: string[] = [];
  for (const [, name = ''] of line.matchAll(/charset\s*=\s*["']*([^"';,\s]+)/g)) names.push(name.replaceAll('\\', ''));
  for (const [, name = ''] of line.matchAll(/charset\s*=\s*"((?:[^"\\]|\\.)+)/g)) names.push(name.replaceAll('\\', ''));
  if (/charset\*[*\d]*\s*=/.test(line)) names.push('*');
  return names;
}
