/**
 * Normalises a distinguished name (RFC 4514): removes spaces around separators, lowers the case and resolves escapes.
 * For comparison only: a server may distinguish names that differ in case.
 */
export function normalizeDn(dn: string): string {
  return split(dn, /[,;]/)
    .map((rdn) => split(rdn, /\+/).map(normalizePair).toSorted().join('+'))
    .join(',');
}

/** The value of the first part: `operators` for `cn=Operators,ou=groups`. */
export function nameOfDn(dn: string): string {
  const [rdn = ''] = split(dn, /[,;]/);
  const [pair = ''] = split(rdn, /\+/);
  return openEscapes(pair.slice(pair.indexOf('=') + 1).trim()).toLowerCase();
}

function normalizePair(pair: string): string {
  const at = pair.indexOf('=');
  const value = openEscapes(pair.slice(at + 1).trim()).toLowerCase();
  // Escapes separators again, so that a value cannot look like two parts.
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
