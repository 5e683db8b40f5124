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

/**
 * A request's target (`:path`) without the parameter: every pair that `findQueryValues` would find goes, all others stay as
 * they were sent.
 */
export function removeQueryParameter(target: string, name: string): string {
  const question = target.indexOf('?');
  if (question === -1) return target;
  const fragment = target.indexOf('#', question);
  const end = fragment === -1 ? target.length : fragment;
  const pairs = target.slice(question + 1, end).split('&');
  const kept = pairs.filter((pair) => decodeQueryText(pair.split('=', 1)[0] ?? '') !== name);
  if (kept.length === pairs.length) return target;
  return `${target.slice(0, question)}${kept.length === 0 ? '' : `?${kept.join('&')}`}${target.slice(end)}`;
}

function decodeQueryText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}
