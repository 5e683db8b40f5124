const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
/** The parts of a title that `it.each` replaces. */
const PLACEHOLDER = /%[sdifjo%#]|\$\{[^}]*\}|\$[\w.]+/g;
/** Shorter texts are no titles, and a title of placeholders alone would match anything. */
const FIXED_CHARS_MIN = 5;

/**
 * Whether a test file contains the title: the full one, with the titles of its `describe` blocks before it. It reads only the
 * text of the file, so the title of a test that fails or that a condition skips exists as well.
 */
export function containsTitle(source: string, fullTitle: string): boolean {
  return readTexts(source).some((text) => toPattern(text).test(fullTitle));
}

function readTexts(source: string): string[] {
  return [...source.matchAll(LITERAL)]
    .map(([, single, double, template]) => (single ?? double ?? template ?? '').replaceAll(/\\(.)/g, '$1'))
    .filter((text) => text.replaceAll(PLACEHOLDER, '').length >= FIXED_CHARS_MIN);
}

function toPattern(text: string): RegExp {
  const fixed = text.split(PLACEHOLDER).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?:^| )${fixed.join('.*')}$`, 's');
}
