import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    sign_in_challenges: SignInChallengesTable;
  }
}

interface SignInChallengesTable {
  id_hash: Buffer;
  user_id: string;
  primary_kind: 'password' | 'passkey' | 'ldap' | 'oidc';
  sealed_set_up: Buffer | null;
  attempts: Generated<number>;
  created_at: Timestamp;
  expires_at: Timestamp;
}
