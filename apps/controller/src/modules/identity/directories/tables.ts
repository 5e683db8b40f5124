import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    external_identities: ExternalIdentitiesTable;
  }
}

interface ExternalIdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  realm: string;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  gone_at: NullableTimestamp;
}
