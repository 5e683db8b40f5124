import type { ClickHouseClient } from '@clickhouse/client';
import { AppError } from '@flotilla/kit';
import type { Row } from '../decode.ts';
import { EVENT_STORE_ERRORS } from '../errors.ts';

/** A query or an insert of the store, with its own database and settings. */
export class ClickHouse {
  readonly client: ClickHouseClient;
  readonly database: string;

  constructor(client: ClickHouseClient, database: string) {
    this.client = client;
    this.database = database;
  }

  async rows(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<readonly Row[]> {
    try {
      const result = await this.client.query({
        query,
        format: 'JSONEachRow',
        query_params: { ...params },
        clickhouse_settings: { output_format_json_quote_64bit_integers: 1, prefer_column_name_to_alias: 1 },
      });
      return await result.json<Row>();
    } catch (cause) {
      throw toError(cause);
    }
  }

  async command(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<void> {
    try {
      // Deletions are complete when the command ends.
      const settings = { mutations_sync: '1', lightweight_deletes_sync: '1' } as const;
      await this.client.command({ query, query_params: { ...params }, clickhouse_settings: settings });
    } catch (cause) {
      throw toError(cause);
    }
  }
}

const FULL = /NOT_ENOUGH_SPACE|No space left/i;

export function toError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return FULL.test(text) ? EVENT_STORE_ERRORS.full(cause) : EVENT_STORE_ERRORS.failed(cause);
}

export async function readBytes(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.rows(
    'select sum(bytes_on_disk) as bytes from system.parts where active and database = {database:String}',
    { database: clickhouse.database },
  );
  return Number(row?.bytes ?? 0);
}
