import { MultiSelect, Radio, Stack, TagsInput } from '@mantine/core';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import type { RolloutValues } from './rollout-request.ts';
import { texts } from './rollout-texts.ts';

const NAMES_MAX = 1000;

interface RolloutClientsProps {
  readonly values: RolloutValues;
  readonly set: (name: 'chosenBy' | 'labelled' | 'named', value: never) => void;
}

/** Chooses the clients: those of the service, by labels, or by name. */
export function RolloutClients({ values, set }: RolloutClientsProps) {
  const change = (name: 'chosenBy' | 'labelled' | 'named', value: string | readonly string[]) =>
    set(name, value as never);
  return (
    <>
      <Radio.Group label={texts.clients} value={values.chosenBy} onChange={(value) => change('chosenBy', value)}>
        <Stack gap={6} mt={6}>
          {(['service', 'labels', 'names'] as const).map((one) => (
            <Radio key={one} value={one} label={texts.chosenBy[one]} />
          ))}
        </Stack>
      </Radio.Group>
      {values.chosenBy === 'labels' && (
        <Labels chosen={values.labelled} onChange={(value) => change('labelled', value)} />
      )}
      {values.chosenBy === 'names' && <Names chosen={values.named} onChange={(value) => change('named', value)} />}
    </>
  );
}

interface ChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Labels({ chosen, onChange }: ChoiceProps) {
  const project = useProject();
  const found = useApi(routes.client.listLabels, { query: { project: project.id } }, { topics: ['client'] });
  const labels = found.data?.body.items.map(({ key, value }) => (value === '' ? key : `${key}=${value}`)) ?? [];
  return (
    <TagsInput
      label={texts.labels}
      description={texts.labelsHint}
      data={labels}
      value={[...chosen]}
      onChange={onChange}
    />
  );
}

function Names({ chosen, onChange }: ChoiceProps) {
  const project = useProject();
  const query = { project: project.id, limit: NAMES_MAX };
  const found = useApi(routes.fleet.clients, { query }, { topics: ['client'] });
  const data = found.data?.body.items.map(({ client_id, name }) => ({ value: client_id, label: name })) ?? [];
  return (
    <MultiSelect
      label={texts.names}
      placeholder={chosen.length === 0 ? texts.choose : undefined}
      nothingFoundMessage={texts.noneFits}
      data={data}
      value={[...chosen]}
      onChange={onChange}
      searchable
    />
  );
}
