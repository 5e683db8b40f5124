import { type CommandRollout, parseAmount } from '@flotilla/contract';
import { Autocomplete, Group, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { ApiFormBody, useApiForm, useWrite } from '../../../ui/index.ts';
import { RolloutClients } from './rollout-clients.tsx';
import { hasVersion, isUpgrade, listChoices, type RolloutValues, specOfChoice, toRequest } from './rollout-request.ts';
import { texts } from './rollout-texts.ts';

/** Fields beside each other stay on one line, however long their hints are. */
const HINT_BELOW: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];

interface RolloutFormProps {
  readonly initial: RolloutValues;
  readonly onPlan: (values: RolloutValues, plan: CommandRollout) => void;
}

export function RolloutForm({ initial, onPlan }: RolloutFormProps) {
  const project = useProject();
  const write = useWrite();
  const form = useApiForm({
    route: routes.commandRollout.start,
    initial: { ...initial },
    check,
    send: async (values) => {
      const input = { query: { project: project.id, dry_run: 'true' as const }, body: toRequest(values) };
      onPlan(values, (await write(routes.commandRollout.start, input)).body);
    },
  });
  const { values } = form;
  const { service } = specOfChoice(values.what);
  return (
    <ApiFormBody form={form} action={texts.plan} failed={texts.planFailed} isReady={isWhole(values)}>
      <Text>{texts.lead}</Text>
      <Select
        label={texts.what}
        data={listChoices(project.role)}
        allowDeselect={false}
        {...form.field('what')}
        data-autofocus
      />
      {service !== 'none' && <ServiceField isRequired={service === 'required'} {...form.field('service')} />}
      {isUpgrade(values.what) && (
        <TextInput label={texts.from} placeholder={texts.versionExample} required {...form.field('from')} />
      )}
      {hasVersion(values.what) && (
        <TextInput label={texts.version} placeholder={texts.versionExample} required {...form.field('version')} />
      )}
      <RolloutClients values={values} set={form.set} />
      <Sizes field={form.field} />
    </ApiFormBody>
  );
}

/** Sizes of the waves, times and the limit of failures. */
function Sizes({ field }: { readonly field: (name: 'first' | 'wave' | 'pause' | 'time' | 'stop') => object }) {
  return (
    <>
      <Group grow align="start">
        <TextInput
          label={texts.first}
          description={texts.firstHint}
          inputWrapperOrder={HINT_BELOW}
          {...field('first')}
        />
        <TextInput label={texts.wave} description={texts.waveHint} inputWrapperOrder={HINT_BELOW} {...field('wave')} />
      </Group>
      <Group grow align="start">
        <NumberInput label={texts.pause} min={0} {...field('pause')} />
        <NumberInput
          label={texts.time}
          description={texts.timeHint}
          inputWrapperOrder={HINT_BELOW}
          min={1}
          {...field('time')}
        />
      </Group>
      <TextInput label={texts.stop} description={texts.stopHint} inputWrapperOrder={HINT_BELOW} {...field('stop')} />
    </>
  );
}

/** A text with suggestions: a project may have more services than a list shows. */
function ServiceField({ isRequired, ...field }: { readonly isRequired: boolean }) {
  const project = useProject();
  const found = useApi(routes.fleet.services, { query: { project: project.id } }, { topics: ['service'] });
  const names = [...new Set(found.data?.body.items.map(({ name }) => name))];
  return (
    <Autocomplete
      label={texts.service}
      description={isRequired ? texts.serviceHint : texts.serviceOptional}
      data={names}
      required={isRequired}
      {...field}
    />
  );
}

const SECONDS_MAX = 86_400;

function check(values: RolloutValues) {
  const { first, wave, stop, version, from, pause, time } = values;
  const isAmount = (text: string) => parseAmount(text) !== undefined;
  return {
    ...(first !== '' && !(isAmount(first) && !parseAmount(first)?.isShare) && { first: texts.notNumber }),
    ...(!isAmount(wave) && { wave: texts.notAmount }),
    ...(!isAmount(stop) && { stop: texts.notAmount }),
    ...(!isSeconds(pause, 0) && { pause: texts.notSeconds }),
    ...(!isSeconds(time, 1) && { time: texts.notSeconds }),
    ...(hasVersion(values.what) && version !== '' && !VERSION.test(version.trim()) && { version: texts.versionWrong }),
    ...(isUpgrade(values.what) && from !== '' && !VERSION.test(from.trim()) && { from: texts.versionWrong }),
  };
}

const VERSION = /^v?\d+\.\d+\.\d+$/;

function isSeconds(value: number | string, min: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= SECONDS_MAX;
}

/** Whether every field that the command needs has a value. */
function isWhole(values: RolloutValues): boolean {
  const { service } = specOfChoice(values.what);
  if (service === 'required' && values.service.trim() === '') return false;
  if (hasVersion(values.what) && values.version.trim() === '') return false;
  if (isUpgrade(values.what) && values.from.trim() === '') return false;
  if (values.chosenBy === 'labels') return values.labelled.length > 0;
  if (values.chosenBy === 'names') return values.named.length > 0;
  return service !== 'none' && values.service.trim() !== '';
}
