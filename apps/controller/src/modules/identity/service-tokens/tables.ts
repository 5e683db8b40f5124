import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    service_tokens: ServiceTokensTable;
  }
}

/** A token for a discovery service of the project, or for a zone that it serves. */
export interface ServiceTokensTable {
  id: string;
  project_id: string;
  kind: 'discovery' | 'zone';
  /** Name of the zone; empty for discovery. */
  name: Generated<string>;
  created_at: Timestamp;
  created_by: string;
}
