const HEADER_NAME = /^:?[0-9a-zA-Z!#$%&'*+\-.^_|~`]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
const HEADER_VALUE = /^[^\u0000-\u0008\u000A-\u001F\u007F]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule is about
const NO_LINE_BREAK = /^[^\u0000\u000A\u000D]*$/;

const compiled = new Map<string, RegExp | undefined>();

/**
 * Whether the whole text matches an RE2 expression of the descriptors, or one of the names `HTTP_HEADER_NAME` and
 * `HTTP_HEADER_VALUE`. True for an expression that this browser cannot read: the server decides then.
 */
export function matchesPattern(pattern: string, text: string, strict = true): boolean {
  if (pattern === 'HTTP_HEADER_NAME') return (strict ? HEADER_NAME : NO_LINE_BREAK).test(text);
  if (pattern === 'HTTP_HEADER_VALUE') return (strict ? HEADER_VALUE : NO_LINE_BREAK).test(text);
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern)?.test(text) ?? true;
}

function compile(source: string): RegExp | undefined {
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
      // Unicode mode refuses escapes that RE2 takes as the character itself
    }
  }
  return undefined;
}
