import { toPlainText } from '@flotilla/decision';

/** Escapes text of a request or policy, so that it cannot control a terminal. */
export function show(text: string, maxChars = 120): string {
  return toPlainText(text, maxChars);
}

/** Rows in columns as wide as their widest cell, separated by two spaces; every line begins with `indent`. */
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
