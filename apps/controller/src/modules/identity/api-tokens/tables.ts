import type { Role } from '@flotilla/contract';
import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    api_tokens: ApiTokensTable;
  }
}

interface ApiTokensTable {
  id: string;
  project_id: string;
  name: string;
  description: string | null;
  role: Role;
  /** Families of routes that the token may call; null: all. */
  families: string[] | null;
  created_by: string | null;
  created_at: Timestamp;
  expires_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
  last_used_ip: string | null;
}
