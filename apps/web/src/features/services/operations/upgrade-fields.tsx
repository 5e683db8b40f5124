import { DRAIN_TIME } from '@flotilla/contract';
import { Autocomplete, Group, NumberInput, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useProject } from '../../../app/project.tsx';
import { useProxyVersions } from '../use-proxy-versions.ts';
import type { OperationTarget } from './operation-order.ts';
import { isRelease } from './operations.ts';
import { texts } from './texts.tsx';
import { isDrainTime, listDrainTimes, listWanted, type UpgradeValues } from './upgrade-values.ts';

const text = texts.upgradeFields;

/** Fields beside each other stay on one line. */
const HINT_BELOW: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];

interface UpgradeFieldsProps {
  readonly targets: readonly OperationTarget[];
  readonly values: UpgradeValues;
  readonly onChange: (values: UpgradeValues) => void;
}

/** From which version to which, and how long connections may finish. */
export function UpgradeFields({ targets, values, onChange }: UpgradeFieldsProps) {
  const project = useProject();
  const versions = useProxyVersions();
  const { from, to, drain } = values;
  return (
    <>
      <Group grow align="start">
        <Select
          label={text.from}
          description={text.fromHint}
          inputWrapperOrder={HINT_BELOW}
          data={listWanted(targets)}
          value={from}
          allowDeselect={false}
          // The other field would open its list over the rest of the dialog.
          data-autofocus
          onChange={(version) => onChange({ ...values, from: version ?? '' })}
        />
        <Autocomplete
          label={text.to}
          description={isRelease(to) ? undefined : texts.versionField.exactRelease}
          inputWrapperOrder={HINT_BELOW}
          data={versions.filter((version) => version !== from)}
          value={to}
          onChange={(version) => onChange({ ...values, to: version })}
          error={to !== '' && to === from ? text.same : undefined}
        />
      </Group>
      <NumberInput
        label={text.drain}
        description={text.drainHint(text.seconds(listDrainTimes(targets)))}
        min={DRAIN_TIME.minS}
        max={DRAIN_TIME.maxS}
        value={drain}
        onChange={(value) => onChange({ ...values, drain: value })}
        error={isDrainTime(drain) ? undefined : text.notSeconds(DRAIN_TIME.maxS)}
      />
      <Text size="sm" c="dimmed">
        {text.waves}{' '}
        <Link to="/p/$project/clients" params={{ project: project.name }} search={{ rollout: 'new' }}>
          {text.wavesLink}
        </Link>
      </Text>
    </>
  );
}
