import type {
  AlertCondition,
  AlertRuleValues,
  AlertSeverity,
  AlertState,
  QuietHours,
  ShownAlertTarget,
} from '@flotilla/contract';
import type { JsonText, NullableJson, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { ColumnType, Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    alert_channels: AlertChannelsTable;
    alert_rules: AlertRulesTable;
    alert_rule_channels: { project_id: string; rule_id: string; channel_id: string };
    alert_projects: { project_id: string; seeded_at: Timestamp };
    alerts: AlertsTable;
    alert_deliveries: AlertDeliveriesTable;
  }
}

interface AlertChannelsTable {
  id: string;
  project_id: string;
  name: string;
  enabled: boolean;
  /** Without the secret. */
  target: JsonText<ShownAlertTarget>;
  sealed: Buffer | null;
  secret_updated_at: NullableTimestamp;
  delivered_at: NullableTimestamp;
  failing_since: NullableTimestamp;
  /** Failed attempts in a row. */
  failures: Generated<number>;
  /** Nothing is sent before. */
  retry_at: NullableTimestamp;
  last_error: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: Generated<number>;
}

interface AlertRulesTable {
  id: string;
  project_id: string;
  name: string;
  enabled: boolean;
  condition: JsonText<AlertCondition>;
  for_s: number;
  severity: AlertSeverity;
  quiet_hours: NullableJson<QuietHours>;
  repeat_s: number | null;
  selector: JsonText<AlertRuleValues['selector']>;
  silenced_until: NullableTimestamp;
  silenced_by: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: Generated<number>;
}

interface AlertsTable {
  id: string;
  project_id: string;
  rule_id: string | null;
  rule_name: string;
  condition: string;
  severity: AlertSeverity;
  fingerprint: string;
  state: AlertState;
  subject_kind: 'service' | 'client' | 'document' | 'authority' | 'job' | 'project' | 'finding';
  subject_id: string | null;
  subject_name: string;
  /** Place of a document. */
  subject_place: NullableJson<{ collection: string; version: string }>;
  /** Labels of the document, or metadata of the client. */
  labels: ColumnType<Record<string, string>, string | undefined, string>;
  summary: string;
  since: Timestamp;
  /** Since when it is not known whether the condition holds. */
  unknown_since: NullableTimestamp;
  /** Since when the condition does not hold any more. */
  clear_since: NullableTimestamp;
  fired_at: NullableTimestamp;
  resolved_at: NullableTimestamp;
  fires: Generated<number>;
  acknowledged_at: NullableTimestamp;
  acknowledged_by: string | null;
  silenced_until: NullableTimestamp;
  silenced_by: string | null;
  notified_at: NullableTimestamp;
  /** A message said that it is resolved. */
  end_notified: Generated<boolean>;
}

interface AlertDeliveriesTable {
  id: string;
  project_id: string;
  channel_id: string;
  kind: 'alerts' | 'test';
  payload: JsonText<Record<string, unknown>>;
  firing: number;
  resolved: number;
  status: 'waiting' | 'sending' | 'delivered' | 'failed';
  attempts: Generated<number>;
  holder: string | null;
  leased_until: NullableTimestamp;
  error: string | null;
  created_at: Timestamp;
  delivered_at: NullableTimestamp;
}
