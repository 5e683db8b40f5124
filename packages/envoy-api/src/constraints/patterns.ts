/** Well-known expressions of protoc-gen-validate, kept to the letter: `+-.` is a range that takes in the comma. */
export const HTTP_HEADER_NAME = /^:?[0-9a-zA-Z!#$%&'*+-.^_|~`]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
export const HTTP_HEADER_VALUE = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
export const NO_LINE_BREAK = /^[^\u0000\u000A\u000D]*$/u;

/**
 * An RE2 expression of a descriptor as a JavaScript one that must match the whole text, as Envoy's generated checks do
 * (`RE2::FullMatch`). Translates what differs: `(?i)` at the head, `(?P<name>`, `\A`, `\z`, `\pL`, `\C` has no use in text. Throws on
 * an expression that JavaScript cannot compile; a test compiles all of every version.
 */
export function compilePattern(source: string): RegExp {
  let flags = 'u';
  let body = source;
  const head = /^\(\?([ims]+)\)/.exec(body);
  if (head?.[1]) {
    flags += head[1];
    body = body.slice(head[0].length);
  }
  body = body
    .replaceAll('(?P<', '(?<')
    .replace(/\\p([A-Z])/g, '\\p{$1}')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('[:alnum:]', 'a-zA-Z0-9');
  try {
    return new RegExp(`^(?:${body})$`, flags);
  } catch {
    // Unicode mode refuses escapes that RE2 takes as the character itself (`\-`, `\_`)
    return new RegExp(`^(?:${body})$`, flags.replace('u', ''));
  }
}
