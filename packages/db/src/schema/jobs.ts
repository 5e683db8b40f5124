import type { Timestamp } from './foundation.ts';

export interface ControllersTable {
  id: string;
  started_at: Timestamp;
  seen_at: Timestamp;
}

export interface JobTables {
  controllers: ControllersTable;
}
