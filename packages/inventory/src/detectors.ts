import { SEGMENT_CHARACTERS_MAX } from './limits.ts';
import { findPii } from './pii.ts';
import type { ValueKind } from './placeholders.ts';
import { isKnownLiteral, wordsOf } from './words.ts';

/** In this order, because a more special shape is also one of a general kind. */
const SHAPES: readonly (readonly [ValueKind, RegExp])[] = [
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['uuid', /^[a-z]{1,16}[_:-][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['date', /^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:[T ].{0,32})?)?$/],
  ['date', /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/],
  ['number', /^-?\d{1,19}$/],
  ['number', /^\d+(?:[-_:,]\d+)+$/],
  ['number', /^-?\d+\.\d+(?:,-?\d+\.\d+)*$/],
  ['number', /^\d{1,3}(?:\.\d{1,3}){3}$/],
  ['token', /^eyJ[\w-]{8,}\.[\w-]+\.[\w-]*$/],
  ['ulid', /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/],
  ['objectid', /^(?=.*\d)[0-9a-f]{24}$/],
  ['hash', /^(?:0x|sha\d{1,3}[:-])?(?=[^a-z]*[a-z])(?=\D*\d)[0-9a-f]{16,128}$/i],
  ['number', /^\d{20,}$/],
  ['hash', /^(?=(?:[a-f]*\d){2})(?=\d*[a-f])(?=[a-f\d]*(?:[a-f]\d|\d[a-f])[a-f\d]*(?:[a-f]\d|\d[a-f]))[0-9a-f]{7,15}$/],
  ['number', /^#?[A-Za-z]{1,12}[-_]?\d{3,}$/],
  ['number', /^[A-Z]{1,5}(?:-[A-Z0-9]{1,6})*-\d{2,}$/],
  ['slug', /^[a-z0-9]+(?:-[a-z0-9]+){2,}-(?=[a-f\d]*\d)[0-9a-f]{4,}$/],
];

/** Rules of operators give placeholders instead of segments. A brace in a path stays an escape, so nothing else begins with one. */
const KIND_OF: ReadonlyMap<string, ValueKind> = new Map([
  ['{id}', 'number'],
  ['{uuid}', 'uuid'],
  ['{objectid}', 'objectid'],
  ['{ulid}', 'ulid'],
  ['{token}', 'token'],
  ['{dynamic}', 'word'],
]);

const SECRETS =
  /^(?:AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|[sr]k_(?:live|test)_\w{10,}|whsec_\w{16,}|xox[abprs]-[\w-]{10,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}|glpat-[\w-]{16,}|AIza[\w-]{30,}|npm_\w{30,}|SG\.[\w-]{16,}\.[\w-]{16,})$/;

/** Undefined for a word, which is literal until its place shows otherwise. Linear in the length of the segment. */
export function detectKind(segment: string): ValueKind | undefined {
  if (segment.startsWith('{')) return KIND_OF.get(segment);
  if (SECRETS.test(segment.slice(0, 256))) return 'secret';
  if (segment.length > SEGMENT_CHARACTERS_MAX) return 'token';
  if (segment === 'true' || segment === 'false') return 'word';
  if (isKnownLiteral(segment)) return undefined;
  if (!/[0-9@]/.test(segment)) return isRandomLetters(segment) ? 'opaque' : undefined;
  if (findPii(segment).length > 0) return 'pii';
  for (const [kind, shape] of SHAPES) if (shape.test(segment)) return kind;
  return isRandom(segment) ? 'opaque' : undefined;
}

/** Random text changes between digits, small and capital letters far more often than names that people give. */
function isRandom(segment: string): boolean {
  if (isRandomCode(segment)) return true;
  const body = segment.slice(segment.search(/[_-][^_-]*$/) + 1);
  if (!/^[A-Za-z0-9]{6,}={0,2}$/.test(body))
    return /^[A-Za-z0-9_-]{16,}={0,2}$/.test(segment) && changeRate(segment) >= 0.4;
  if (!/\d/.test(body) || wordsOf(segment).knownShare >= 0.6) return false;
  return changeRate(body) >= (body.length >= 10 ? 0.3 : 0.4) && countChanges(body) >= 3;
}

/** Ten to sixteen characters with digits, small and capital letters, as identifiers of videos have them. */
function isRandomCode(segment: string): boolean {
  if (!/^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{10,16}$/.test(segment)) return false;
  const body = segment.replaceAll(/[_-]/g, '');
  return changeRate(body) >= 0.4 && wordsOf(segment).knownShare < 0.3;
}

/** Twelve or more letters with capitals in the middle of words, perhaps after a prefix such as `cus_`. */
function isRandomLetters(segment: string): boolean {
  const prefix = /^[a-z]{2,6}_(?=[A-Za-z]{12,}$)/.exec(segment);
  if (prefix !== null) return changeRate(segment.slice(prefix[0].length)) >= 0.2 && wordsOf(segment).knownShare < 0.3;
  return /^[A-Za-z]{12,}$/.test(segment) && changeRate(segment) >= 0.3 && wordsOf(segment).knownShare < 0.3;
}

function changeRate(text: string): number {
  return countChanges(text) / Math.max(1, text.length - 1);
}

function countChanges(text: string): number {
  let changes = 0;
  for (let at = 1; at < text.length; at++)
    if (classOf(text.charCodeAt(at)) !== classOf(text.charCodeAt(at - 1))) changes += 1;
  return changes;
}

function classOf(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  return code >= 97 ? 1 : 2;
}
