/**
 * The same for all spellings of a distinguished name (RFC 4514): without the spaces around separators, in lower case, and with
 * escapes opened. For comparing alone: a server may tell names apart that are the same here only where they differ in case.
 */
export function normalizeDn(dn: string): string {
  return split(dn, /[,;]/)
    .map((rdn) => split(rdn, /\+/).map(normalizePair).toSorted().join('+'))
    .join(',');
}

/** The value of the first part: `cn=Operators,ou=groups` is called `operators`. */
export function nameOfDn(dn: string): string {
  const [rdn = ''] = split(dn, /[,;]/);
  const [pair = ''] = split(rdn, /\+/);
  return openEscapes(pair.slice(pair.indexOf('=') + 1).trim()).toLowerCase();
}

function normalizePair(pair: string): string {
  const at = pair.indexOf('=');
  const value = openEscapes(pair.slice(at + 1).trim()).toLowerCase();
  // What separates is escaped again, so that no value can look like two parts.
  return `${pair.slice(0, at).trim().toLowerCase()}=${value.replaceAll(/[,+;\\]/g, (char) => `\\${char}`)}`;
}

/** Splits at separators that are neither escaped nor quoted. */
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = [''];
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? '';
    if (char === '"') isQuoted = !isQuoted;
    if (separator.test(char) && !isQuoted) {
      parts.push('');
      continue;
    }
    const piece = char === '\\' ? text.slice(i, i + 2) : char;
    parts[parts.length - 1] += piece;
    i += piece.length - 1;
  }
  return parts;
}

function openEscapes(value: string): string {
  const unquoted = /^".*"$/s.test(value) ? value.slice(1, -1) : value;
  return unquoted.replaceAll(/(?:\\[0-9a-fA-F]{2})+|\\(.)/gs, (escaped, char: string | undefined) =>
    char === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString() : char,
  );
}
