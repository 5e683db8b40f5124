import type { ProgramIo } from '../programs.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

/** Columns as wide as their widest cell; numbers to the right. One line per row, whatever the cells hold. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => formatCell(value(row))));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((line) => [...(line[i] ?? '')].length)),
  );
  const numeric = columns.map(({ value }) => rows.length > 0 && rows.every((row) => typeof value(row) === 'number'));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => {
        const gap = ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...text].length));
        return numeric[i] ? gap + text : text + gap;
      })
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title.toUpperCase())), ...cells.map(line)].join('\n');
}

function formatCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Without control characters, and without the end of the line: what comes from a network must not steer a terminal. */
export function printable(text: string): string {
  return text.replace(/[\r\n]+$/, '').replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}

/** To a pipe whole texts go as they are; on a terminal not even a policy's comment may steer it. */
export function print(io: ProgramIo, text: string): void {
  const isTerminal = (io.stdout as { isTTY?: boolean }).isTTY === true;
  const shown = isTerminal ? text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, printable) : text;
  io.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** Progress and remarks: beside the output, so that a pipe gets the output alone. */
export function note(io: ProgramIo, text: string): void {
  io.stderr.write(`${text}\n`);
}

export function printJson(io: ProgramIo, value: unknown): void {
  print(io, JSON.stringify(value, null, 2));
}

export interface Table<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

/** A list as a table, or as the API gave it. */
export function printList<Row>(
  io: ProgramIo,
  { rows, columns }: Table<Row>,
  { json }: { readonly json?: boolean | undefined } = {},
): void {
  if (json) printJson(io, { items: rows });
  else if (rows.length === 0) note(io, 'Nothing found.');
  else print(io, renderTable(columns, rows));
}

/** `3m`, `5h`, `2d`: how long ago it was. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  if (!time) return '-';
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds}s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}m`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}
