import { rewrite } from './path-codes.ts';

const SLASH = 47;
const DOT = 46;
const SEMICOLON = 59;
const TWO_DOTS = /\/\.\.(?=\/|$)/g;

/** What programs make of one text of a path: each looks for segments in its own way. The text itself is the first. */
export function* listForms(text: string): Generator<string, void> {
  yield text;
  const merged = mergeSlashes(text);
  if (merged !== text) {
    yield merged;
    yield removeDotSegments(merged);
  }
  // An empty segment is one that `..` takes away.
  const undotted = removeDotSegments(text);
  if (undotted === text) return;
  yield undotted;
  if (merged !== text) yield mergeSlashes(undotted);
  // CodeIgniter leaves out two dots and what is empty.
  yield merged.replaceAll(TWO_DOTS, '') || '/';
}

/** What they make of a URL: who parses one and merges slashes removes dot segments too. */
export function* listUrlForms(url: string): Generator<string, void> {
  yield tidySegments(url);
  const undotted = removeDotSegments(url);
  if (undotted === url) return;
  yield undotted;
  yield mergeSlashes(undotted);
}

/** Slashes merged, then dot segments removed: what most programs do. */
export function tidySegments(text: string): string {
  return removeDotSegments(mergeSlashes(text));
}

/** Every segment without what follows its first `;`. */
export function cutParameters(text: string): string {
  return text.includes(';') ? rewrite(text, cutAtSemicolons) : text;
}

export function mergeSlashes(text: string): string {
  return text.includes('//') ? rewrite(text, mergeRuns) : text;
}

/**
 * RFC 3986 section 5.2.4: a trailing slash is kept, and what ends in a dot segment gets one. An empty segment is one like others, which
 * `..` takes away.
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

/** What `..` takes away is looked for from the end of what stayed: each unit once, and it is gone then. */
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

/** 1 and 2 where the segment at `start` is one of the two dot segments, 0 for any other. */
function countDots(codes: Uint16Array, start: number, length: number): number {
  if (start >= length || codes[start] !== DOT) return 0;
  if (start + 1 === length || codes[start + 1] === SLASH) return 1;
  if (codes[start + 1] !== DOT) return 0;
  return start + 2 === length || codes[start + 2] === SLASH ? 2 : 0;
}
