import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    maintenance_windows: {
      id: string;
      project_id: string;
      name: string;
      starts_at: Timestamp;
      ends_at: Timestamp;
      created_at: Timestamp;
      updated_at: Timestamp;
      revision: Generated<number>;
    };
  }
}
