import type { AlertRuleValues } from '@flotilla/contract';

const COMMON: Pick<AlertRuleValues, 'enabled' | 'channels' | 'quiet_hours' | 'repeat_s' | 'selector'> = {
  enabled: true,
  channels: [],
  quiet_hours: null,
  repeat_s: 4 * 3600,
  selector: { names: [], labels: {} },
};

/**
 * The rules of a new project. They are on, so that alerts are shown from the beginning, but send nothing until somebody chooses
 * channels: nobody gets messages that nobody asked for.
 */
export const DEFAULT_RULES: readonly AlertRuleValues[] = [
  {
    ...COMMON,
    name: 'configuration-refused',
    condition: { kind: 'configuration_refused', severities: ['critical', 'error'] },
    for_s: 60,
    severity: 'critical',
  },
  {
    ...COMMON,
    name: 'service-unreachable',
    condition: { kind: 'service_health', states: ['failed', 'unreachable'] },
    for_s: 120,
    severity: 'critical',
  },
  { ...COMMON, name: 'client-offline', condition: { kind: 'client_offline' }, for_s: 300, severity: 'warning' },
  {
    ...COMMON,
    name: 'certificate-expires',
    condition: { kind: 'certificate_expiry', days: 14 },
    for_s: 0,
    severity: 'warning',
    repeat_s: 86_400,
  },
  {
    ...COMMON,
    name: 'job-failed',
    condition: { kind: 'job_failed', types: [] },
    for_s: 0,
    severity: 'warning',
    repeat_s: null,
  },
];
