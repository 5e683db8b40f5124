import type { DefaultedJson, JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { MemberReport, RoleChange } from '@flotilla/ha';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    ha_pairs: HaPairsTable;
    ha_members: HaMembersTable;
    ha_reports: HaReportsTable;
    ha_role_changes: HaRoleChangesTable;
    ha_terms: HaTermsTable;
    ha_sync: HaSyncTable;
    ha_address_pairs: HaAddressPairsTable;
  }
}

/** accept: the members learn the next key. sign: they sign with it, and still accept the previous one. */
export type Rotation = 'accept' | 'sign';

interface HaPairsTable {
  id: string;
  project_id: string;
  name: string;
  interval_ms: number;
  misses: number;
  fence_targets: string[];
  next_hops: string[];
  preempt: boolean;
  config_rev: number;
  sealed_keys: Buffer | null;
  rotation: Rotation | null;
  rotation_rev: number | null;
  vacancy_since: NullableTimestamp;
  vacancy_reason: string | null;
  vacancy_priority: number | null;
  handover_until: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
}

interface HaMembersTable {
  client_id: string;
  pair_id: string;
  slot: number;
  priority: number;
  data_override: string | null;
  mgmt_override: string | null;
  interfaces: DefaultedJson<Record<string, string>>;
  given_digest: string | null;
}

/** A report without what other tables keep, or nobody reads. */
export type StoredMember = Omit<MemberReport, 'changes' | 'terms' | 'rejected'>;

interface HaReportsTable {
  client_id: string;
  report: JsonText<StoredMember>;
  reported_at: Timestamp;
}

interface HaRoleChangesTable {
  pair_id: string;
  client_id: string;
  at: Timestamp;
  client_name: string;
  role: string;
  change: JsonText<RoleChange>;
}

interface HaTermsTable {
  pair_id: string;
  client_id: string;
  epoch: number;
  raised_at: Timestamp;
  released_at: NullableTimestamp;
  skew_ms: number;
}

interface HaSyncTable {
  service_id: string;
  client_id: string;
  pair_id: string;
  source_id: string;
  op: string;
  since: Timestamp;
  attempts: Generated<number>;
  last_error: string | null;
  next_attempt_at: Timestamp;
  command_id: string | null;
}

interface HaAddressPairsTable {
  project_id: string;
  client_id: string;
  cloud_project: string;
  server: string;
  port_id: string;
  address: string;
  unneeded_since: NullableTimestamp;
  removing: Generated<boolean>;
  attempts: Generated<number>;
  next_attempt_at: Timestamp;
}
