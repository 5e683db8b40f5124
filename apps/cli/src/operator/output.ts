import type { ProgramIo } from '../programs.ts';

export type Cell = string | number | boolean | null | undefined;

type CellKey<Row> = { [K in keyof Row]: Row[K] extends Cell ? K : never }[keyof Row];

/** Keeps TypeScript from inferring a row from its columns; `NoInfer` does not reach into mapped types. */
export type Settled<Row> = [Row][Row extends unknown ? 0 : never];

/** Columns by title: a field of the row, or a function of the row. Ages are relative to `nowMs`. */
export type Columns<Row> = Readonly<Record<string, CellKey<Row> | ((row: Row, nowMs: number) => Cell)>>;

/** Creates a column that shows the age of a time. */
export const age =
  <K extends string>(key: K) =>
  (row: Readonly<Partial<Record<K, string | null>>>, nowMs: number): string =>
    formatAge(row[key], nowMs);

/** Renders one line per row. Columns are as wide as their widest cell; numbers are aligned to the right. */
export function renderTable<Row>(columns: Columns<Settled<Row>>, rows: readonly Row[]): string {
  const nowMs = Date.now();
  const titles = Object.keys(columns);
  const values = rows.map((row) => readCells(columns, row, nowMs));
  const cells = values.map((line) => line.map(formatCell));
  const widths = titles.map((title, i) => Math.max(title.length, ...cells.map((line) => [...(line[i] ?? '')].length)));
  const numeric = titles.map((_, i) => rows.length > 0 && values.every((line) => typeof line[i] === 'number'));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => {
        const gap = ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...text].length));
        return numeric[i] ? gap + text : text + gap;
      })
      .join('  ')
      .trimEnd();
  return [line(titles.map((title) => title.toUpperCase())), ...cells.map(line)].join('\n');
}

/** Renders one row without alignment. */
export function renderLine<Row>(columns: Columns<Settled<Row>>, row: Row): string {
  return readCells(columns, row, Date.now()).map(formatCell).join('  ');
}

function readCells<Row>(columns: Columns<Row>, row: Row, nowMs: number): Cell[] {
  return Object.values(columns).map((cell) => (typeof cell === 'function' ? cell(row, nowMs) : (row[cell] as Cell)));
}

function formatCell(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Replaces control characters and removes trailing line breaks: text from a network must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\r\n]+$/, '').replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}');
}

/** Writes text. On a terminal, replaces control characters, also in comments of policies; a pipe gets the text unchanged. */
export function print(io: ProgramIo, text: string): void {
  const isTerminal = (io.stdout as { isTTY?: boolean }).isTTY === true;
  const shown = isTerminal ? text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, printable) : text;
  io.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

/** Writes progress and notes to standard error, so that a pipe gets only the output. */
export function note(io: ProgramIo, text: string): void {
  io.stderr.write(`${text}\n`);
}

export function printJson(io: ProgramIo, value: unknown): void {
  print(io, JSON.stringify(value, null, 2));
}

export interface Table<Row> {
  readonly rows: readonly Row[];
  readonly columns: Columns<Row>;
}

export function printList<Row>(
  io: ProgramIo,
  { rows, columns }: Table<Row>,
  { json }: { readonly json?: boolean | undefined } = {},
): void {
  if (json) printJson(io, { items: rows });
  else if (rows.length === 0) note(io, 'Nothing found.');
  else print(io, renderTable(columns, rows));
}

/** Formats an age as `3m`, `5h` or `2d`. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  if (!time) return '-';
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000));
  if (seconds < 90) return `${seconds}s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}m`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
}
