import {
  ALERT_SERVICE_STATES,
  type AlertCondition,
  type AlertConditionKind,
  type ConfigErrorRecord,
  FINDING_ALERT_STATES,
  FINDING_SEVERITIES,
} from '@flotilla/contract';
import { Checkbox, Group, NumberInput, Select } from '@mantine/core';
import { toWord } from '../../ui/index.ts';
import { FIRST_CONDITIONS } from './rule-model.ts';
import { texts } from './texts.ts';
import { TrafficFields } from './traffic-fields.tsx';

const text = texts.rules;
const ERROR_SEVERITIES: readonly ConfigErrorRecord['severity'][] = ['critical', 'error', 'warning'];

interface ConditionFieldsProps {
  readonly condition: AlertCondition;
  readonly onChange: (condition: AlertCondition) => void;
}

export function ConditionFields({ condition, onChange }: ConditionFieldsProps) {
  const kinds = Object.keys(FIRST_CONDITIONS) as AlertConditionKind[];
  return (
    <>
      <Select
        label={text.condition}
        data={kinds.map((value) => ({ value, label: text.conditions[value] ?? value }))}
        allowDeselect={false}
        value={condition.kind}
        onChange={(kind) => kind && onChange(FIRST_CONDITIONS[kind])}
      />
      <Settings condition={condition} onChange={onChange} />
    </>
  );
}

function Settings({ condition, onChange }: ConditionFieldsProps) {
  switch (condition.kind) {
    case 'service_health':
      return (
        <Choices
          label={text.states}
          all={ALERT_SERVICE_STATES}
          chosen={condition.states}
          onChange={(states) => onChange({ kind: condition.kind, states })}
        />
      );
    case 'configuration_refused':
      return (
        <Choices
          label={text.severities}
          all={ERROR_SEVERITIES}
          chosen={condition.severities}
          onChange={(severities) => onChange({ kind: condition.kind, severities })}
        />
      );
    case 'certificate_expiry':
      return (
        <NumberInput
          label={text.days}
          min={1}
          max={365}
          value={condition.days}
          onChange={(days) => onChange({ kind: condition.kind, days: Number(days) || 1 })}
        />
      );
    case 'backup_missing':
      return (
        <NumberInput
          label={text.hours}
          min={1}
          max={8760}
          value={condition.hours}
          onChange={(hours) => onChange({ kind: condition.kind, hours: Number(hours) || 1 })}
        />
      );
    case 'error_share':
    case 'latency':
    case 'request_rate':
      return <TrafficFields condition={condition} onChange={onChange} />;
    case 'finding':
      return <FindingFields condition={condition} onChange={onChange} />;
    case 'client_offline':
    case 'job_failed':
      return null;
  }
}

interface FindingFieldsProps {
  readonly condition: Extract<AlertCondition, { kind: 'finding' }>;
  readonly onChange: ConditionFieldsProps['onChange'];
}

function FindingFields({ condition, onChange }: FindingFieldsProps) {
  return (
    <>
      <Select
        label={text.minSeverity}
        data={FINDING_SEVERITIES.map((value) => ({ value, label: text.findingSeverities[value] }))}
        allowDeselect={false}
        value={condition.min_severity}
        onChange={(severity) => severity && onChange({ ...condition, min_severity: severity })}
      />
      <Choices
        label={text.findingStates}
        all={FINDING_ALERT_STATES}
        chosen={condition.states}
        onChange={(states) => onChange({ ...condition, states })}
      />
    </>
  );
}

interface ChoicesProps<T extends string> {
  readonly label: string;
  readonly all: readonly T[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: T[]) => void;
}

/** At least one stays chosen. */
function Choices<T extends string>({ label, all, chosen, onChange }: ChoicesProps<T>) {
  return (
    <Checkbox.Group
      label={label}
      value={[...chosen]}
      onChange={(values) => values.length > 0 && onChange(all.filter((one) => (values as string[]).includes(one)))}
    >
      <Group gap="md" mt={4}>
        {all.map((one) => (
          <Checkbox key={one} value={one} label={toWord(one)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
