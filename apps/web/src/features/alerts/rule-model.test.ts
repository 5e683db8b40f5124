import type { AlertRuleView } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { toForm, toRuleValues } from './rule-model.ts';

const RULE: AlertRuleView = {
  id: 'r',
  project: 'p',
  name: 'lost',
  enabled: false,
  condition: { kind: 'certificate_expiry', days: 3 },
  for_s: 0,
  severity: 'info',
  channels: ['c'],
  quiet_hours: { time_zone: 'UTC', weekdays: ['mon'], from: '22:00', to: '06:00' },
  repeat_s: 5400,
  selector: { names: ['edge-*', 'core'], labels: { rack: 'r1' } },
  silenced_until: null,
  silenced_by: null,
  firing: 0,
  created_at: '',
  updated_at: '',
  updated_by: '',
  revision: 1,
};

it('a rule that is opened and saved again is the same rule', () => {
  const { name, enabled, condition, for_s, severity, channels, quiet_hours, repeat_s, selector } = RULE;
  const values = { name, enabled, condition, for_s, severity, channels, quiet_hours, repeat_s, selector };
  expect(toRuleValues(toForm(RULE), RULE)).toEqual(values);
});

it('names are one per line, and an empty reminder does not exist', () => {
  const fields = { ...toForm(undefined), name: 'new', names: ' edge-1 \n\n edge-2', repeat_hours: '' as const };
  expect(toRuleValues(fields, undefined)).toMatchObject({
    repeat_s: null,
    selector: { names: ['edge-1', 'edge-2'], labels: {} },
  });
});
