import { type DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import bindings from '@duckdb/node-bindings';
import { NUMERIC_NAMES, WORD_NAMES } from '../columns.ts';
import type { EncodedBatch } from '../encode.ts';
import type { Words } from './words.ts';

const CHUNK_ROWS = 2048;

/** Appends a batch to the tail within the caller's transaction: whole columns at a time, without a value object per cell. */
export async function appendRows(
  connection: DuckDBConnection,
  { batch, project, words }: { batch: EncodedBatch; project: number; words: Words },
): Promise<void> {
  const columns = listColumns(batch, project, words);
  const appender = await connection.createAppender('tail');
  const types = columns.map((_, index) => appender.columnType(index));
  for (let start = 0; start < batch.rows; start += CHUNK_ROWS) {
    const rows = Math.min(CHUNK_ROWS, batch.rows - start);
    const { chunk } = DuckDBDataChunk.create(types, rows);
    for (const [index, column] of columns.entries()) {
      const width = column.BYTES_PER_ELEMENT;
      const vector = bindings.data_chunk_get_vector(chunk, index);
      const { buffer, byteOffset } = column;
      bindings.copy_data_to_vector(vector, 0, buffer as ArrayBuffer, byteOffset + start * width, rows * width);
    }
    appender.appendDataChunk(new DuckDBDataChunk(chunk));
  }
  appender.closeSync();
}

/** In the order of the tail's columns. */
function listColumns(batch: EncodedBatch, project: number, words: Words) {
  const projects = new Uint32Array(batch.rows).fill(project);
  const numbers = NUMERIC_NAMES.map((name) => {
    const column = batch.numbers[name];
    if (column === undefined) throw new TypeError(`The batch has no column ${name}.`);
    return column;
  });
  const texts = WORD_NAMES.map((name) => {
    const column = batch.words[name];
    if (column === undefined) throw new TypeError(`The batch has no column ${name}.`);
    const ids = column.texts.map((text) => words.add(project, name, text));
    return column.codes.map((code) => ids[code] ?? 0);
  });
  return [projects, batch.timeMs, ...numbers, ...texts];
}
