import type { ApiCriticality, apiOwnerRoutes, CallOutput } from '@flotilla/contract';
import { Button, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Problem, useSending, useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.operation;
const CRITICALITIES = Object.entries(texts.criticalities).map(([value, label]) => ({ value, label }));

interface OverrideFormProps {
  readonly owned: CallOutput<typeof apiOwnerRoutes.get>;
  readonly onDone: () => void;
}

/** Sets team, owner and criticality of one endpoint. Values of an earlier override stay if the form has no field for them. */
export function OverrideForm({ owned: { operation, override }, onDone }: OverrideFormProps) {
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const [team, setTeam] = useState(operation.team);
  const [owner, setOwner] = useState(operation.owner);
  const [criticality, setCriticality] = useState<string | null>(operation.criticality);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = {
      ...override,
      team: team.trim(),
      owner: owner.trim(),
      criticality: criticality as ApiCriticality | null,
    };
    const isSaved = await sending.send(() =>
      write(
        routes.apiOwner.override,
        { params: { operation_id: operation.operation_id }, query: { project: project.id }, body },
        { done: text.saved, stale: [routes.apiOwner.get, routes.apiOwner.operations, routes.apiOwner.teams] },
      ),
    );
    if (isSaved) onDone();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <TextInput label={text.team} value={team} onChange={(event) => setTeam(event.currentTarget.value)} />
        <TextInput label={text.owner} value={owner} onChange={(event) => setOwner(event.currentTarget.value)} />
        <Select label={text.criticality} data={CRITICALITIES} value={criticality} onChange={setCriticality} clearable />
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <Button type="submit" loading={sending.isBusy}>
          {text.save}
        </Button>
      </Stack>
    </form>
  );
}
