import type { ColumnType } from 'kysely';
import type { Timestamp } from './foundation.ts';

export interface InstallationTable {
  name: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Timestamp;
}

export interface SettingTables {
  installation: InstallationTable;
}
