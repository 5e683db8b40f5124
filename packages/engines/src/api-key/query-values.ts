/**
 * Values of one query parameter, in order. Lenient the way servers are: pairs are split at `&`, name and value at the
 * first `=`, `+` is a space, escapes are decoded as UTF-8, a malformed escape stays as text. A pair that cannot be read
 * does not hide the others.
 */
export function findQueryValues(query: string, name: string): readonly string[] {
  if (query === '') return [];
  const values: string[] = [];
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    if (key !== name && decodeQueryText(key) !== name) continue;
    values.push(equals === -1 ? '' : decodeQueryText(pair.slice(equals + 1)));
  }
  return values;
}

function decodeQueryText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}
