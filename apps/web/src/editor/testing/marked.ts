/** Splits a text with its cursor written as `|`. */
export function marked(text: string): { text: string; offset: number } {
  const offset = text.indexOf('|');
  return { text: text.slice(0, offset) + text.slice(offset + 1), offset };
}
