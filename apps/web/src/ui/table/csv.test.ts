import { expect, it } from 'vitest';
import type { Column } from './columns.ts';
import { toCsv } from './csv.ts';

interface Row {
  readonly name: string;
  readonly size: number | null;
}

const columns: Column<Row>[] = [
  { id: 'name', header: 'Name', width: '1fr', cell: (row) => row.name, text: (row) => row.name },
  { id: 'size', header: 'Size, bytes', width: 80, cell: (row) => row.size, text: (row) => row.size },
  { id: 'actions', header: 'Actions', width: 80, cell: () => null },
];

it('cells are quoted if necessary, and columns without text are omitted', () => {
  expect(toCsv(columns, [{ name: 'a "b",\nc', size: 1 }])).toBe('Name,"Size, bytes"\r\n"a ""b"",\nc",1\r\n');
});

it('spreadsheets do not run cells as formulas, and numbers stay numbers', () => {
  const text = toCsv(columns, [
    { name: '=HYPERLINK("http://x")', size: -5 },
    { name: '@x', size: null },
  ]);
  expect(text.split('\r\n').slice(1)).toEqual([`"'=HYPERLINK(""http://x"")",-5`, `'@x,`, '']);
});
