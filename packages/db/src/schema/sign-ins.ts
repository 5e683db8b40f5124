import type { Generated } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

export interface OtpEnrolmentsTable {
  user_id: string;
  sealed_secret: Buffer;
  confirmed_at: NullableTimestamp;
  last_step: Generated<number>;
  created_at: Timestamp;
}

export interface BackupCodesTable {
  user_id: string;
  hash: Buffer;
  used_at: NullableTimestamp;
}

export interface SignInChallengesTable {
  id_hash: Buffer;
  user_id: string;
  primary_kind: 'password' | 'passkey' | 'ldap' | 'oidc';
  sealed_set_up: Buffer | null;
  attempts: Generated<number>;
  created_at: Timestamp;
  expires_at: Timestamp;
}

export interface PasskeysTable {
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

export interface PasskeyQuestionsTable {
  hash: Buffer;
  user_id: string | null;
  expires_at: Timestamp;
}

export interface ExternalIdentitiesTable {
  issuer: string;
  subject: string;
  user_id: string;
  realm: string;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  gone_at: NullableTimestamp;
}

export interface ProviderGrantsTable {
  user_id: string;
  id: string;
  issuer: string;
  client_id: string;
  sealed_token: Buffer;
  granted_at: Timestamp;
  /** Since when it is asked by, and others are answered of, with no answer that could be believed. */
  asked_at: NullableTimestamp;
}

export interface SpentSignInsTable {
  hash: Buffer;
  expires_at: Timestamp;
}

/** Of second factors, passkeys and sign-ins that wait for one. */
export interface SignInTables {
  otp_enrolments: OtpEnrolmentsTable;
  backup_codes: BackupCodesTable;
  sign_in_challenges: SignInChallengesTable;
  passkeys: PasskeysTable;
  passkey_questions: PasskeyQuestionsTable;
  external_identities: ExternalIdentitiesTable;
  provider_grants: ProviderGrantsTable;
  spent_sign_ins: SpentSignInsTable;
}
