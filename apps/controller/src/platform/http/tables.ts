import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    idempotency_keys: IdempotencyKeysTable;
  }
}

interface IdempotencyKeysTable {
  actor: string;
  key: string;
  route: string;
  body_digest: Buffer;
  answer: Buffer;
  created_at: Timestamp;
}
