import { NUMERIC_NAMES, WORD_NAMES } from '../columns.ts';
import type { EncodedBatch } from '../encode.ts';
import { type ClickHouse, toError } from './client.ts';
import { INSERT_COLUMNS } from './schema.ts';

/** Looks beyond the server's own memory of inserts, which ends after some thousands of them. */
export async function isStored(clickhouse: ClickHouse, project: string, batch: EncodedBatch): Promise<boolean> {
  const { sender, epoch, sequence } = batch;
  const [row] = await clickhouse.rows(
    `select max(sequence) as last, count() as n from "${clickhouse.database}".senders
     where project = {project:String} and sender = {sender:String} and epoch = {epoch:String}`,
    { project, sender, epoch },
  );
  return Number(row?.n ?? 0) > 0 && Number(row?.last) >= sequence;
}

/**
 * One insert for each batch, named by its place in its stream: if the answer to the first attempt was lost, the server completes or
 * ignores the second one, in the tables of rollups, too.
 */
export async function insertBatch(clickhouse: ClickHouse, project: string, batch: EncodedBatch): Promise<void> {
  const token = JSON.stringify([project, batch.sender, batch.epoch, batch.sequence]);
  try {
    await clickhouse.client.insert({
      table: `"${clickhouse.database}".events`,
      columns: [...INSERT_COLUMNS] as [string, ...string[]],
      format: 'JSONCompactEachRow',
      values: toRows(project, batch),
      clickhouse_settings: {
        insert_deduplicate: 1,
        insert_deduplication_token: token,
        deduplicate_blocks_in_dependent_materialized_views: 1,
        // One block for a batch, so that it is stored as a whole.
        input_format_parallel_parsing: 0,
        async_insert: 0,
        // A day is a partition, and hostile times may name each of the last 400.
        max_partitions_per_insert_block: '0',
      },
    });
  } catch (cause) {
    throw toError(cause);
  }
}

function toRows(project: string, batch: EncodedBatch): unknown[][] {
  const numbers = NUMERIC_NAMES.map((name) => batch.numbers[name]);
  const words = WORD_NAMES.map((name) => batch.words[name]);
  const rows: unknown[][] = [];
  for (let row = 0; row < batch.rows; row += 1) {
    const values: unknown[] = [project, batch.sender, batch.epoch, batch.sequence, Number(batch.timeMs[row])];
    for (const column of numbers) {
      const value = column?.[row] ?? 0;
      values.push(typeof value === 'bigint' ? value.toString() : value);
    }
    for (const column of words) values.push(column?.texts[column.codes[row] ?? 0] ?? '');
    rows.push(values);
  }
  return rows;
}
