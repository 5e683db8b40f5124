import type { NullableTimestamp, RoleName, Timestamp } from './foundation.ts';

export interface ApiTokensTable {
  id: string;
  project_id: string;
  name: string;
  role: RoleName;
  /** First characters of the token, by which people tell theirs apart. */
  prefix: string;
  token_hash: Buffer;
  created_by: string | null;
  created_at: Timestamp;
  expires_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
}

export interface PermissionTables {
  api_tokens: ApiTokensTable;
}
