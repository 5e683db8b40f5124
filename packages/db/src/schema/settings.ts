import type { ColumnType, Generated } from 'kysely';
import type { Timestamp } from './foundation.ts';

export interface InstallationTable {
  name: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Timestamp;
}

/** When each secret of a document was set, by its path (`auth.application_credential_secret`). */
export type SecretTimes = Readonly<Record<string, string>>;

export interface SettingsTable {
  id: string;
  /** Null: of the installation. */
  project_id: string | null;
  key: string;
  /** Empty where there is one document of the key. */
  name: Generated<string>;
  /** Without secrets. */
  value: ColumnType<Record<string, unknown>, string, string>;
  secrets: ColumnType<SecretTimes, string, string>;
  /** The secrets, by path, as sealed JSON. */
  sealed: Buffer | null;
  revision: Generated<number>;
  updated_at: Timestamp;
  updated_by: string;
}

export interface SettingRevisionsTable {
  setting_id: string;
  project_id: string | null;
  revision: number;
  value: ColumnType<Record<string, unknown>, string, never>;
  secrets: ColumnType<SecretTimes, string, never>;
  updated_at: Timestamp;
  updated_by: string;
}

/** How many bytes the database took, and when. */
export interface StorageSamplesTable {
  at: Timestamp;
  bytes: number;
}

export interface SettingTables {
  installation: InstallationTable;
  settings: SettingsTable;
  setting_revisions: SettingRevisionsTable;
  storage_samples: StorageSamplesTable;
}
