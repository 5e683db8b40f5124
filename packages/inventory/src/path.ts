import { PATH_CHARACTERS_MAX, SEGMENTS_MAX } from './limits.ts';

export interface NormalPath {
  /** Decoded, without empty and dot segments. A character that could be mistaken for something else stays an escape. */
  readonly segments: readonly string[];
  /** Dot segments that lead above the root, or that an escaped slash hides. */
  readonly isTraversal: boolean;
  /** The path had more characters or segments than the limits allow; the rest is missing. */
  readonly isTruncated: boolean;
}

const ORIGIN = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\\?#]*/;
const HIDDEN_TRAVERSAL = /(?:^|%2F|%5C)\.\.(?:%2F|%5C|$)/;

/**
 * Reads `:path`, in this order: length limit, origin of an absolute-form target, query and fragment, one round of percent decoding, matrix parameters,
 * duplicate slashes, dot segments (RFC 3986 section 5.2.4). A trailing slash does not matter.
 */
export function normalizePath(target: string): NormalPath {
  const isLong = target.length > PATH_CHARACTERS_MAX;
  const bounded = isLong ? target.slice(0, PATH_CHARACTERS_MAX) : target;
  const absolute = bounded.startsWith('/') ? bounded : bounded.replace(ORIGIN, '');
  const end = absolute.search(/[?#]/);
  const path = end === -1 ? absolute : absolute.slice(0, end);
  const segments: string[] = [];
  let isTraversal = false;
  let isTruncated = isLong;
  for (const raw of path.split('/')) {
    if (raw === '' || raw === '.') continue;
    const segment = decodeSegment(cutMatrix(raw));
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      isTraversal ||= segments.length === 0;
      segments.pop();
      continue;
    }
    isTraversal ||= HIDDEN_TRAVERSAL.test(segment);
    if (segments.length === SEGMENTS_MAX) {
      isTruncated = true;
      break;
    }
    segments.push(segment);
  }
  return { segments, isTraversal, isTruncated };
}

function cutMatrix(segment: string): string {
  const semicolon = segment.indexOf(';');
  return semicolon === -1 ? segment : segment.slice(0, semicolon);
}

const PLAIN = /^[A-Za-z0-9._~!$'()*+,=:@;-]+$/;

/** Decodes UTF-8 once. Bytes that are not UTF-8, malformed escapes, and characters of `UNSAFE` are left as escapes in uppercase. */
function decodeSegment(raw: string): string {
  if (PLAIN.test(raw)) return raw;
  const runs = raw.replace(/(?:%[0-9a-fA-F]{2})+|[^%]+|%/gs, (run) => {
    if (run === '%') return '%25';
    return run.startsWith('%') ? decodeRun(run) : escapeUnsafe(run.toWellFormed());
  });
  return runs.normalize('NFC');
}

function decodeRun(run: string): string {
  const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    const decoded = length === 0 ? undefined : decodeStrictly(bytes.subarray(at, at + length));
    text += decoded === undefined ? escapeByte(bytes[at] ?? 0) : escapeUnsafe(decoded);
    at += decoded === undefined ? 1 : length;
  }
  return text;
}

/** Zero for a byte that begins no UTF-8 sequence. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Separators, braces (they mark placeholders), and characters that are invisible or change the direction of text. */
const UNSAFE = /[/\\?#%{}\s\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => Array.from(UTF8.encode(character), escapeByte).join(''));
}

const UTF8 = new TextEncoder();

function escapeByte(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
