/** Cheap and never wrong about an absence: without one of these no pair can be called `query`. */
const MAY_HOLD_QUERY = /[qQ%]/;

/**
 * Every text that some server takes for the parameter `query` of a URL's query or of a form. Pairs end at `&`, and for
 * some servers at `;` too; `+` is a space; escapes are UTF-8, a malformed one stays as text and hides nothing else; the
 * name is read in any letter case, leading white space dropped. Where the parameter is given several times, each value
 * counts, and all of them joined by commas, as ASP.NET hands them over: what two halves say together counts too.
 */
export function findQueryTexts(query: string): Iterable<string> {
  if (query === '' || !MAY_HOLD_QUERY.test(query)) return NONE;
  const texts = new Set<string>();
  collect(query.split('&'), texts);
  if (query.includes(';')) collect(query.split(/[&;]/), texts);
  return texts;
}

const NONE: readonly string[] = [];

function collect(pairs: readonly string[], texts: Set<string>): void {
  const values: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals === -1 || !isQueryName(pair.slice(0, equals))) continue;
    values.push(decodeText(pair.slice(equals + 1)));
  }
  if (values.length > 1) values.push(values.join(','));
  for (const value of values) if (value !== '') texts.add(value);
}

function isQueryName(name: string): boolean {
  if (name.length === 5) return name.toLowerCase() === 'query';
  return name.length > 5 && /^\s*query$/i.test(decodeText(name));
}

const ESCAPES = /(?:%[0-9a-fA-F]{2})+/g;

function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}
