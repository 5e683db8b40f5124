import {
  ALERT_QUANTILES,
  ALERT_WINDOW_MAX_S,
  type AlertCondition,
  type AlertTrafficCondition,
} from '@flotilla/contract';
import { Group, NumberInput, Select } from '@mantine/core';
import { texts } from './texts.ts';

const text = texts.rules;
const MINUTE_S = 60;
const RATES = ['above', 'below'] as const;

interface TrafficFieldsProps {
  readonly condition: AlertTrafficCondition;
  readonly onChange: (condition: AlertCondition) => void;
}

/** The settings of a condition over the traffic of a service. */
export function TrafficFields({ condition, onChange }: TrafficFieldsProps) {
  return (
    <>
      <Group grow align="flex-start">
        <Limit condition={condition} onChange={onChange} />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label={text.windowMinutes}
          description={text.windowHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={1}
          max={ALERT_WINDOW_MAX_S / MINUTE_S}
          allowDecimal={false}
          value={condition.window_s / MINUTE_S}
          onChange={(minutes) => onChange({ ...condition, window_s: (Number(minutes) || 1) * MINUTE_S })}
        />
        {condition.kind !== 'request_rate' && (
          <NumberInput
            label={text.minRequests}
            description={text.minRequestsHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={1}
            allowDecimal={false}
            value={condition.min_requests}
            onChange={(count) => onChange({ ...condition, min_requests: Number(count) || 1 })}
          />
        )}
      </Group>
    </>
  );
}

function Limit({ condition, onChange }: TrafficFieldsProps) {
  switch (condition.kind) {
    case 'error_share':
      return (
        <NumberInput
          label={text.abovePercent}
          min={0}
          max={99.9}
          value={condition.above_percent}
          onChange={(percent) => onChange({ ...condition, above_percent: Number(percent) || 0 })}
        />
      );
    case 'latency':
      return (
        <>
          <Select
            label={text.quantile}
            data={ALERT_QUANTILES.map((value) => ({ value, label: text.quantiles[value] }))}
            allowDeselect={false}
            value={condition.quantile}
            onChange={(quantile) => quantile && onChange({ ...condition, quantile })}
          />
          <NumberInput
            label={text.aboveMs}
            min={0}
            max={3_600_000}
            value={condition.above_ms}
            onChange={(ms) => onChange({ ...condition, above_ms: Number(ms) || 0 })}
          />
        </>
      );
    case 'request_rate':
      return (
        <>
          <Select
            label={text.rateIs}
            data={RATES.map((value) => ({ value, label: text.rates[value] }))}
            allowDeselect={false}
            value={condition.is}
            onChange={(is) => is && onChange({ ...condition, is })}
          />
          <NumberInput
            label={text.perS}
            min={0}
            value={condition.per_s}
            onChange={(perS) => onChange({ ...condition, per_s: Number(perS) || 0 })}
          />
        </>
      );
  }
}
