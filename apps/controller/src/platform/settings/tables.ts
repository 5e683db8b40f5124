import type { Timestamp } from '@flotilla/db';
import type { ColumnType, Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    settings: SettingsTable;
    setting_revisions: SettingRevisionsTable;
  }
}

/** When each secret was set, by path, such as `auth.application_credential_secret`. */
type SecretTimes = Readonly<Record<string, string>>;

interface SettingsTable {
  id: string;
  /** Null: a setting of the installation. */
  project_id: string | null;
  key: string;
  /** Empty for keys that have a single document. */
  name: Generated<string>;
  /** The document without its secrets. */
  value: ColumnType<Record<string, unknown>, string, string>;
  secrets: ColumnType<SecretTimes, string, string>;
  /** The secrets by path, as encrypted JSON. */
  sealed: Buffer | null;
  revision: Generated<number>;
  updated_at: Timestamp;
  updated_by: string;
}

interface SettingRevisionsTable {
  setting_id: string;
  project_id: string | null;
  revision: number;
  value: ColumnType<Record<string, unknown>, string, never>;
  secrets: ColumnType<SecretTimes, string, never>;
  updated_at: Timestamp;
  updated_by: string;
}
