const SLASH = 47;
const DOT = 46;

/** What programs make of one text of a path: each looks for segments in its own way. The text itself is the first. */
export function* listForms(text: string): Generator<string, void> {
  yield text;
  const hasDots = text.includes('/.');
  if (!text.includes('//')) {
    if (hasDots) yield removeDotSegments(text);
    return;
  }
  const merged = mergeSlashes(text);
  yield merged;
  if (!hasDots) return;
  yield tidySegments(text);
  // An empty segment is one that `..` takes away.
  const undotted = removeDotSegments(text);
  yield undotted;
  yield mergeSlashes(undotted);
}

/** Slashes merged, then dot segments removed: what most programs do. */
export function tidySegments(text: string): string {
  return text.includes('//') ? walkSegments(text, true) : removeDotSegments(text);
}

/** Every segment without what follows its first `;`. */
export function cutParameters(text: string): string {
  return text.includes(';') ? text.replaceAll(/;[^/]*/g, '') : text;
}

export function mergeSlashes(text: string): string {
  let at = text.indexOf('//');
  if (at === -1) return text;
  let merged = '';
  let copied = 0;
  while (at !== -1) {
    merged += text.slice(copied, at);
    copied = at + 1;
    while (text.charCodeAt(copied) === SLASH) copied += 1;
    // The last slash of the run stays.
    copied -= 1;
    at = text.indexOf('//', copied + 1);
  }
  return merged + text.slice(copied);
}

/**
 * RFC 3986 section 5.2.4: a trailing slash is kept, and what ends in a dot segment gets one. An empty segment is one like others, which
 * `..` takes away.
 */
export function removeDotSegments(text: string): string {
  return text.includes('/.') ? walkSegments(text, false) : text;
}

/**
 * From the right end, where it is known of each segment whether it stays: what stays side by side is copied as one.
 * `isMerging`: empty segments go first.
 */
function walkSegments(text: string, isMerging: boolean): string {
  const runs: string[] = [];
  /** Segments that `..` to their right take away. */
  let taken = 0;
  let runStart = text.length;
  let runEnd = text.length;
  for (let end = text.length; end > 0; ) {
    const slash = Math.max(0, text.lastIndexOf('/', end - 1));
    const dots = countDots(text, slash + 1, end);
    const isGone = dots > 0 || (isMerging && slash + 1 === end);
    if (isGone && end === text.length) runs.push('/');
    if (dots === 2) taken += 1;
    else if (!isGone && taken > 0) taken -= 1;
    else if (!isGone) {
      if (end !== runStart) {
        runs.push(text.slice(runStart, runEnd));
        runEnd = end;
      }
      runStart = slash;
    }
    end = slash;
  }
  runs.push(text.slice(runStart, runEnd));
  return runs.reverse().join('') || '/';
}

/** 1 and 2 for the two dot segments, 0 for any other. */
function countDots(text: string, start: number, end: number): number {
  const length = end - start;
  if (length < 1 || length > 2 || text.charCodeAt(start) !== DOT) return 0;
  return text.charCodeAt(end - 1) === DOT ? length : 0;
}
