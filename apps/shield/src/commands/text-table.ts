import { toPlainText } from '@flotilla/decision';

/** Text of a request or a policy for a terminal: nothing in it may act on that. */
export function show(text: string, maxChars = 120): string {
  return toPlainText(text, maxChars);
}

/** Rows in columns as wide as their widest cell, two spaces between them; every line begins with `indent`. */
export function renderTable(rows: readonly (readonly string[])[], indent = '  '): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows
    .map((row) => `${indent}${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
