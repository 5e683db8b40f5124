/** Well-known expressions of protoc-gen-validate, copied exactly: `+-.` is a range that includes the comma. */
export const HTTP_HEADER_NAME = /^:?[0-9a-zA-Z!#$%&'*+-.^_|~`]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
export const HTTP_HEADER_VALUE = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
export const NO_LINE_BREAK = /^[^\u0000\u000A\u000D]*$/u;

/**
 * Compiles an RE2 expression of a descriptor to one that must match the whole text, as Envoy's generated checks do
 * (`RE2::FullMatch`). Translates the differences: flags at the head, `(?P<name>`, `\A`, `\z`, `\pL`, `[:alnum:]`. Returns undefined
 * for an expression that JavaScript cannot compile; a test compiles all expressions of every version.
 */
export function compilePattern(source: string): RegExp | undefined {
  const head = /^\(\?([ims]+)\)/.exec(source);
  const body = (head ? source.slice(head[0].length) : source)
    .replaceAll('(?P<', '(?<')
    .replace(/\\p([A-Z])/g, '\\p{$1}')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('[:alnum:]', 'a-zA-Z0-9');
  for (const flags of ['u', '']) {
    try {
      return new RegExp(`^(?:${body})$`, flags + (head?.[1] ?? ''));
    } catch {
      // Unicode mode refuses escapes that RE2 reads as the character itself (`\-`, `\_`).
    }
  }
  return undefined;
}
