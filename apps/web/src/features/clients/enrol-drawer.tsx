import { Button, Drawer, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Problem } from '../../ui/index.ts';
import { EnrolCommand } from './enrol-command.tsx';
import { LIFETIME_DEFAULT, LIFETIMES, NOTE_MAX } from './enrolment.ts';
import { texts } from './enrolment-texts.tsx';
import type { CreatedToken } from './model.ts';

const text = texts.enrolDrawer;

/** `?enrol=new`: creates a token and shows the command. Only this component holds the secret. */
export function EnrolDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('enrol') === 'new'}
      onClose={() => url.set({ enrol: undefined })}
      title={text.drawer.title}
      size="lg"
    >
      <Enrol />
    </Drawer>
  );
}

function Enrol() {
  const [created, setCreated] = useState<CreatedToken>();
  if (created) return <EnrolCommand created={created} onAgain={() => setCreated(undefined)} />;
  return <EnrolForm onCreated={setCreated} />;
}

function EnrolForm({ onCreated }: { onCreated: (token: CreatedToken) => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [note, setNote] = useState('');
  const [lifetime, setLifetime] = useState<string>(LIFETIME_DEFAULT);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { body } = await call(routes.enrolment.createToken, {
        query: { project: project.id },
        body: { ttl_s: Number(lifetime), ...(note.trim() && { note: note.trim() }) },
      });
      onCreated(body);
      void invalidate(queryClient, routes.enrolment.listTokens);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void create(event)}>
      <Stack gap="md">
        <Text>{text.form.whatHappens(<bdi>{project.name}</bdi>)}</Text>
        <TextInput
          label={text.form.note}
          description={text.form.noteHint}
          placeholder={text.form.noteExample}
          maxLength={NOTE_MAX}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        <Select
          label={text.form.lifetime}
          description={text.form.lifetimeHint}
          data={[...LIFETIMES]}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? LIFETIME_DEFAULT)}
        />
        <HostNeeds />
        {error !== undefined && <Problem error={error} what={text.form.failed} />}
        <div>
          <Button type="submit" loading={isBusy}>
            {text.form.create}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function HostNeeds() {
  return (
    <div>
      <Text fw={600} mb={4}>
        {text.hostNeeds.title}
      </Text>
      <Text component="ul" pl="md" m={0}>
        <li>{text.hostNeeds.program(<span className="mono">{text.hostNeeds.programName}</span>)}</li>
        <li>{text.hostNeeds.wayToController}</li>
        <li>{text.hostNeeds.envoyBinary(<span className="mono">{text.hostNeeds.searchPath}</span>)}</li>
      </Text>
    </div>
  );
}
