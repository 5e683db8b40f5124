import { Button, Drawer, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Problem } from '../../ui/index.ts';
import { EnrolCommand } from './enrol-command.tsx';
import { LIFETIME_DEFAULT, LIFETIMES, NOTE_MAX } from './enrolment.ts';
import type { CreatedToken } from './model.ts';

/** `?enrol=new`: makes a token and shows the command. The secret is in this component and nowhere else. */
export function EnrolDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('enrol') === 'new'}
      onClose={() => url.set({ enrol: undefined })}
      title="Enrol a client"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
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
        <Text>
          A host joins project <bdi>{project.name}</bdi> with a token that works once. You get one command to run on the
          host; there the agent makes its key, gets a certificate and connects.
        </Text>
        <TextInput
          label="Note"
          description="For whom or what the token is; only people see it."
          placeholder="edge in Oslo"
          maxLength={NOTE_MAX}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        <Select
          label="Lifetime"
          description="Until when the host must have joined."
          data={[...LIFETIMES]}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => setLifetime(value ?? LIFETIME_DEFAULT)}
        />
        <HostNeeds />
        {error !== undefined && <Problem error={error} what="The token was not created" />}
        <div>
          <Button type="submit" loading={isBusy}>
            Create token
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
        What the host needs
      </Text>
      <Text component="ul" pl="md" m={0}>
        <li>
          Linux, and the program <span className="mono">flotilla</span> (Node 20 or newer)
        </li>
        <li>A way to the controller's port for agents, 8098 unless it was changed. Nothing dials the host.</li>
        <li>
          An Envoy binary: the agent takes the one on <span className="mono">PATH</span> or in its cache, else fetches
          the version that a service asks for
        </li>
      </Text>
    </div>
  );
}
