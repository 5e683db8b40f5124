import { CHARSETS_MAX, readCharset } from './charsets.ts';

/** The possible contents of a body, depending on the decoder. */
export interface DecodedBody {
  /** In UTF-8, the most likely first, without duplicates. Never empty. */
  readonly texts: readonly Buffer[];
  /** False if a program may decode it in a way that is not among `texts`. */
  readonly isReadable: boolean;
}

/**
 * Decodes a body in every way that a server might: by its charset parameters, its byte order mark, or the position of
 * its zero bytes (RFC 4627 section 3). Free for a body without zeros and charset.
 */
export function decodeBody(body: Buffer, charsets: readonly string[]): DecodedBody {
  const detected = detectEncoding(body);
  if (detected === undefined && charsets.length === 0) return { texts: [body], isReadable: true };
  const texts: Buffer[] = [body];
  let isReadable = charsets.length <= CHARSETS_MAX;
  const add = (text: Buffer): void => {
    if (!texts.some((known) => known.equals(text))) texts.push(text);
  };
  if (detected !== undefined) add(decodeUnicode(body, detected));
  for (const name of charsets.slice(0, CHARSETS_MAX)) {
    const charset = readCharset(name);
    switch (charset.kind) {
      case 'plain':
        break;
      case 'utf-16':
      case 'utf-32':
        add(decodeUnicode(body, `${charset.kind}le`));
        add(decodeUnicode(body, `${charset.kind}be`));
        break;
      case 'decoded':
        add(Buffer.from(new TextDecoder(charset.label).decode(body)));
        break;
      case 'unknown':
        isReadable = false;
    }
  }
  return { texts, isReadable };
}

type UnicodeEncoding = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/** The encoding indicated by a byte order mark or by zeros in the first character, if any. */
function detectEncoding(body: Buffer): UnicodeEncoding | undefined {
  const a = body[0] ?? 1;
  const b = body[1] ?? 1;
  const c = body[2] ?? 1;
  const d = body[3] ?? 1;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 && body.length >= 4 ? 'utf-32le' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0) return b === 0 ? 'utf-32be' : 'utf-16be';
  if (b === 0) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le';
  return undefined;
}

function decodeUnicode(body: Buffer, encoding: UnicodeEncoding): Buffer {
  switch (encoding) {
    case 'utf-16le':
      return Buffer.from(body.toString('utf16le'));
    case 'utf-16be':
      return Buffer.from(
        Buffer.from(body.subarray(0, body.length & ~1))
          .swap16()
          .toString('utf16le'),
      );
    case 'utf-32le':
    case 'utf-32be':
      return decodeUtf32(body, encoding === 'utf-32le');
  }
}

function decodeUtf32(body: Buffer, isLittle: boolean): Buffer {
  const units = new Uint16Array(body.length >> 1);
  let length = 0;
  for (let at = 0; at + 4 <= body.length; at += 4) {
    const point = isLittle ? body.readUInt32LE(at) : body.readUInt32BE(at);
    if (point < 0x10000) units[length++] = point;
    else if (point > 0x10ffff) units[length++] = 0xfffd;
    else {
      units[length++] = 0xd7c0 + (point >> 10);
      units[length++] = 0xdc00 + (point & 0x3ff);
    }
  }
  return Buffer.from(Buffer.from(units.buffer, 0, length * 2).toString('utf16le'));
}
