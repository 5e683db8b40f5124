import type { DefaultedJson, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    certificate_authority: CertificateAuthorityTable;
    enrolment_tokens: EnrolmentTokensTable;
    client_certificates: ClientCertificatesTable;
  }
}

interface CertificateAuthorityTable {
  singleton: Generated<boolean>;
  certificate: Buffer;
  sealed_key: Buffer;
  created_at: Timestamp;
  expires_at: Timestamp;
}

export interface EnrolmentTokensTable {
  id: string;
  project_id: string;
  note: string | null;
  labels: DefaultedJson<Record<string, string>>;
  created_by: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  used_at: NullableTimestamp;
  used_by_client: string | null;
  used_key_digest: Buffer | null;
}

interface ClientCertificatesTable {
  /** 32 lower-case hexadecimal digits. */
  serial: string;
  client_id: string;
  project_id: string;
  key_digest: Buffer;
  issued_at: Timestamp;
  expires_at: Timestamp;
  revoked_at: NullableTimestamp;
  revoke_reason: string | null;
}
