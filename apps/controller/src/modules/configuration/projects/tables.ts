import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    projects: ProjectsTable;
  }
}

interface ProjectsTable {
  id: string;
  name: string;
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
  /** `open`: members can use all resources; `listed`: editors and viewers need a permission. */
  resource_access: Generated<'open' | 'listed'>;
}
