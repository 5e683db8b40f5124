import type { Column } from './columns.ts';

/** RFC 4180. Prefixes cells that a spreadsheet would run as a formula with an apostrophe. */
export function toCsv<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const shown = columns.filter((column) => column.text);
  const lines = [shown.map(({ header }) => quote(header))];
  for (const row of rows) lines.push(shown.map(({ text }) => quote(text?.(row))));
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

function quote(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
