/** How a program decodes escapes. */
export interface Decoder {
  readonly keepSlashes: boolean;
  /** `%uHHHH`, and ASCII in more bytes than it needs (which UTF-8 forbids), as some old servers do. */
  readonly isLenient: boolean;
}
export const STRICT: Decoder = { keepSlashes: false, isLenient: false };
export const KEEP_SLASHES: Decoder = { keepSlashes: true, isLenient: false };
export const LENIENT: Decoder = { keepSlashes: false, isLenient: true };
/** Where only a lenient decoder finds ASCII, after one round or two; in lower case. */
export const LENIENT_ESCAPE = /%(?:25)?(?:u00|c[01]|e0)/;

const PERCENT = 37;
const SLASH = 47;
const BACKSLASH = 92;

/**
 * Decodes every well-formed escape once, as UTF-8; the others stay as they are. Written by hand because a path made of
 * escapes must not cost more than its length.
 */
export function decodeOnce(text: string, { keepSlashes, isLenient }: Decoder): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let decoded = '';
  let copied = 0;
  while (at !== -1) {
    const byte = readEscape(text, at);
    if (byte === -1 && isLenient && readUnicodeEscape(text, at) !== -1) {
      decoded += text.slice(copied, at) + String.fromCharCode(readUnicodeEscape(text, at));
      copied = at + 6;
      at = text.indexOf('%', copied);
      continue;
    }
    if (byte === -1 || (keepSlashes && (byte === SLASH || byte === BACKSLASH))) {
      at = text.indexOf('%', at + 1);
      continue;
    }
    decoded += text.slice(copied, at);
    if (byte < 0x80) {
      decoded += String.fromCharCode(byte);
      copied = at + 3;
    } else {
      const bytes = [byte];
      copied = at + 3;
      for (let next = readEscape(text, copied); next >= 0x80; next = readEscape(text, copied)) {
        bytes.push(next);
        copied += 3;
      }
      decoded += Buffer.from(isLenient ? shortenAscii(bytes) : bytes).toString('utf8');
    }
    at = text.indexOf('%', copied);
  }
  return decoded + text.slice(copied);
}

/** ASCII characters written in two or three bytes (RFC 3629 section 3 forbids it) in the one byte they need. */
function shortenAscii(bytes: readonly number[]): number[] {
  const short: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const [first = 0, second = 0, third = 0] = bytes.slice(i, i + 3);
    if ((first === 0xc0 || first === 0xc1) && second >> 6 === 2) {
      short.push(((first & 1) << 6) | (second & 0x3f));
      i += 1;
    } else if (first === 0xe0 && (second === 0x80 || second === 0x81) && third >> 6 === 2) {
      short.push(((second & 1) << 6) | (third & 0x3f));
      i += 2;
    } else short.push(first);
  }
  return short;
}

/** The character of `%u0041`, which no standard knows, or -1. */
function readUnicodeEscape(text: string, at: number): number {
  if ((text.charCodeAt(at + 1) | 32) !== 117) return -1;
  const hex = text.slice(at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : -1;
}

/** The byte that the escape at `at` stands for, or -1 where there is none. */
function readEscape(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
