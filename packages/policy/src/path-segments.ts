import { rewrite } from './path-codes.ts';

const SLASH = 47;
const DOT = 46;
const SEMICOLON = 59;
const TWO_DOTS = /\/\.\.(?=\/|$)/g;

/** The texts that programs derive from a path by different ways of handling segments. The text itself is the first. */
export function* listForms(text: string): Generator<string, void> {
  yield text;
  const merged = mergeSlashes(text);
  if (merged !== text) {
    yield merged;
    yield removeDotSegments(merged);
  }
  // Here `..` may remove an empty segment.
  const undotted = removeDotSegments(text);
  if (undotted === text) return;
  yield undotted;
  if (merged !== text) yield mergeSlashes(undotted);
  // CodeIgniter omits two dots and empty segments.
  yield merged.replaceAll(TWO_DOTS, '') || '/';
}

/** The same for a URL: programs that parse one and merge slashes also remove dot segments. */
export function* listUrlForms(url: string): Generator<string, void> {
  yield tidySegments(url);
  const undotted = removeDotSegments(url);
  if (undotted === url) return;
  yield undotted;
  yield mergeSlashes(undotted);
}

/** Merges slashes, then removes dot segments, as most programs do. */
export function tidySegments(text: string): string {
  return removeDotSegments(mergeSlashes(text));
}

/** Cuts every segment at its first `;`. */
export function cutParameters(text: string): string {
  return text.includes(';') ? rewrite(text, cutAtSemicolons) : text;
}

export function mergeSlashes(text: string): string {
  return text.includes('//') ? rewrite(text, mergeRuns) : text;
}

/**
 * RFC 3986 section 5.2.4: keeps a trailing slash, and adds one after a final dot segment. Empty segments are ordinary
 * and can be removed by `..`.
 */
export function removeDotSegments(text: string): string {
  return text.includes('/.') ? rewrite(text, undot) : text;
}

function cutAtSemicolons(codes: Uint16Array, length: number): number {
  let size = 0;
  let isCut = false;
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    if (code === SLASH) isCut = false;
    else if (code === SEMICOLON) isCut = true;
    if (!isCut) codes[size++] = code;
  }
  return size;
}

function mergeRuns(codes: Uint16Array, length: number): number {
  let size = 0;
  let previous = 0;
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    if (code !== SLASH || previous !== SLASH) codes[size++] = code;
    previous = code;
  }
  return size;
}

/** Searches for the segment that `..` removes from the end of the output: each unit is visited once and then removed. */
function undot(codes: Uint16Array, length: number): number {
  let size = 0;
  for (let at = 0; at < length; ) {
    const dots = codes[at] === SLASH ? countDots(codes, at + 1, length) : 0;
    if (dots === 0) {
      codes[size++] = codes[at++] as number;
      continue;
    }
    at += 1 + dots;
    if (dots === 2) while (size > 0 && codes[--size] !== SLASH);
    if (at === length) codes[size++] = SLASH;
  }
  return size;
}

/** 1 or 2 for the dot segments, 0 for other segments at `start`. */
function countDots(codes: Uint16Array, start: number, length: number): number {
  if (start >= length || codes[start] !== DOT) return 0;
  if (start + 1 === length || codes[start + 1] === SLASH) return 1;
  if (codes[start + 1] !== DOT) return 0;
  return start + 2 === length || codes[start + 2] === SLASH ? 2 : 0;
}
