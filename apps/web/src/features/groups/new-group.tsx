import { Button, Drawer, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { judgeName, NAME_HINT } from '../../accounts/index.ts';
import { ApiError, call, fieldError, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';

const text = texts.groups;

export function NewGroupDrawer() {
  const url = useUrlState();
  return (
    <Drawer
      opened={url.get('create') === 'group'}
      onClose={() => url.set({ create: undefined })}
      title={text.create.title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <NewGroupForm />
    </Drawer>
  );
}

/** What is made is opened, for its members. */
function NewGroupForm() {
  const project = useProject();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const { error } = sending;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const nameError = isTaken ? text.create.taken : (judgeName(name) ?? fieldError(error, 'name'));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.group.create, {
        query: { project: project.id },
        body: { name, description: description === '' ? null : description },
      });
      sayDone(text.create.done(body.name));
      url.set({ create: undefined, group: body.id });
      await invalidate(queryClient, routes.group.list);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label={text.name}
          description={NAME_HINT}
          required
          withAsterisk={false}
          autoComplete="off"
          value={name}
          error={nameError}
          onChange={(event) => {
            sending.clear();
            setName(event.currentTarget.value);
          }}
          data-autofocus
        />
        <TextInput
          label={text.description}
          value={description}
          error={fieldError(error, 'description')}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {error !== undefined && nameError === undefined && <Problem error={error} what={text.create.failed} />}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={name === '' || judgeName(name) !== undefined}>
            {text.create.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
