import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    inventory_resets: InventoryResetsTable;
  }
}

/** Operations that people reset or deleted. */
interface InventoryResetsTable {
  id: Generated<string>;
  project_id: string;
  /** Null: all operations of the project. */
  operations: string[] | null;
  created_at: Timestamp;
}
