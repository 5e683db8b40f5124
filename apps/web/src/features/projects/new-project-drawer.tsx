import { Button, Drawer, Stack, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { judgeName, NAME_HINT } from '../../accounts/index.ts';
import { ApiError, call, fieldError, invalidate, loadSession, routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { Problem, useSending } from '../../ui/index.ts';

export const DESCRIPTION_MAX = 1024;

export function NewProjectDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('create') === 'project'}
      onClose={() => url.set({ create: undefined })}
      title="Create a project"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <NewProject />
    </Drawer>
  );
}

function NewProject() {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [created, setCreated] = useState<string>();
  const { error } = sending;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const nameError = isTaken ? 'There is a project of this name.' : (judgeName(name) ?? fieldError(error, 'name'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      await call(routes.project.create, { body: { name, description: description.trim() || null } });
      await invalidate(queryClient, routes.project.list);
      await loadSession();
      setCreated(name);
    });
  };
  if (created !== undefined) return <Created name={created} />;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description={NAME_HINT}
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={name}
          error={nameError}
          onChange={(event) => {
            sending.clear();
            setName(event.currentTarget.value);
          }}
          data-autofocus
        />
        <Textarea
          label="Description (optional)"
          autosize
          minRows={3}
          maxLength={DESCRIPTION_MAX}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {error !== undefined && nameError === undefined && <Problem error={error} what="The project was not created" />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={name === '' || judgeName(name) !== undefined}>
            Create
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Created({ name }: { name: string }) {
  return (
    <Stack gap="md">
      <div role="status">
        The project <bdi className="mono">{name}</bdi> is created. Enrol a client in it, then create a service.
      </div>
      <div>
        <Button renderRoot={(props) => <Link to="/p/$project/overview" params={{ project: name }} {...props} />}>
          Open the project
        </Button>
      </div>
    </Stack>
  );
}
