import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    passkeys: PasskeysTable;
    passkey_questions: PasskeyQuestionsTable;
  }
}

interface PasskeysTable {
  id: string;
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: number;
  transports: string[];
  name: string;
  backed_up: boolean;
  created_at: Timestamp;
  last_used_at: NullableTimestamp;
}

interface PasskeyQuestionsTable {
  hash: Buffer;
  user_id: string | null;
  expires_at: Timestamp;
}
