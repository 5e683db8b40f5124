import type { ColumnType, Generated } from 'kysely';
import type { Timestamp } from './columns.ts';

/** The row types of all tables. Each feature adds its own (`declare module '@flotilla/db'` in its `tables.ts`). */
export interface Tables {
  outbox: OutboxTable;
}

interface OutboxTable {
  seq: Generated<number>;
  topic: string;
  payload: ColumnType<unknown, string, never>;
  at: Timestamp;
}
