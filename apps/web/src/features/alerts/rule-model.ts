import type {
  AlertCondition,
  AlertConditionKind,
  AlertRuleValues,
  AlertRuleView,
  QuietHours,
} from '@flotilla/contract';
import { toLines } from './lines.ts';

/** The settings with which each kind of condition begins. */
export const FIRST_CONDITIONS: Readonly<Record<AlertConditionKind, AlertCondition>> = {
  service_health: { kind: 'service_health', states: ['failed', 'unreachable'] },
  client_offline: { kind: 'client_offline' },
  certificate_expiry: { kind: 'certificate_expiry', days: 14 },
  configuration_refused: { kind: 'configuration_refused', severities: ['critical', 'error'] },
  job_failed: { kind: 'job_failed', types: [] },
  backup_missing: { kind: 'backup_missing', hours: 48 },
  error_share: { kind: 'error_share', above_percent: 5, window_s: 300, min_requests: 20 },
  latency: { kind: 'latency', quantile: 'p95', above_ms: 500, window_s: 300, min_requests: 20 },
  request_rate: { kind: 'request_rate', is: 'below', per_s: 1, window_s: 300 },
  finding: { kind: 'finding', min_severity: 'high', states: ['new', 'came_back'] },
};

export function firstQuietHours(timeZone: string): QuietHours {
  return {
    time_zone: timeZone,
    weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    from: '22:00',
    to: '07:00',
  };
}

const HOUR_S = 3600;

export interface RuleFields extends Omit<AlertRuleValues, 'selector' | 'repeat_s'> {
  /** Empty: no reminder. */
  readonly repeat_hours: number | '';
  /** One per line. */
  readonly names: string;
}

export function toForm(rule: AlertRuleView | undefined): RuleFields & Record<string, unknown> {
  return {
    name: rule?.name ?? '',
    enabled: rule?.enabled ?? true,
    condition: rule?.condition ?? FIRST_CONDITIONS.client_offline,
    for_s: rule?.for_s ?? 120,
    severity: rule?.severity ?? 'warning',
    channels: rule?.channels ?? [],
    quiet_hours: rule?.quiet_hours ?? null,
    repeat_hours: rule?.repeat_s == null ? '' : rule.repeat_s / HOUR_S,
    names: rule?.selector.names.join('\n') ?? '',
  };
}

/** The values to send. Labels, which the form does not show, stay. */
export function toRuleValues(fields: RuleFields, rule: AlertRuleView | undefined): AlertRuleValues {
  return {
    name: fields.name,
    enabled: fields.enabled,
    condition: fields.condition,
    for_s: fields.for_s,
    severity: fields.severity,
    channels: fields.channels,
    quiet_hours: fields.quiet_hours,
    repeat_s: fields.repeat_hours === '' ? null : Math.round(fields.repeat_hours * HOUR_S),
    selector: { names: toLines(fields.names), labels: rule?.selector.labels ?? {} },
  };
}
