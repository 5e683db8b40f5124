import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    otp_enrolments: OtpEnrolmentsTable;
    backup_codes: BackupCodesTable;
  }
}

interface OtpEnrolmentsTable {
  user_id: string;
  sealed_secret: Buffer;
  confirmed_at: NullableTimestamp;
  last_step: Generated<number>;
  created_at: Timestamp;
}

interface BackupCodesTable {
  user_id: string;
  hash: Buffer;
  used_at: NullableTimestamp;
}
