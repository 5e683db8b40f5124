import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, fieldError } from '../api/index.ts';
import { Problem, useSending } from '../ui/index.ts';
import { judgeName, NAME_HINT } from './names.ts';

/** Of a project or a group. */
export const DESCRIPTION_MAX = 1024;

interface NamedFormProps {
  readonly words: {
    readonly name: string;
    readonly description: string;
    readonly taken: string;
    readonly failed: string;
    readonly submit: string;
  };
  /** Rejects with why nothing was made. */
  readonly send: (values: { name: string; description: string | null }) => Promise<unknown>;
}

/** Makes something that has a name of its own and a description. */
export function NamedForm({ words, send }: NamedFormProps) {
  const sending = useSending();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const { error } = sending;
  const isTaken = error instanceof ApiError && error.code === 'record.exists';
  const nameError = isTaken ? words.taken : (judgeName(name) ?? fieldError(error, 'name'));
  const descriptionError = fieldError(error, 'description');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(() => send({ name, description: description.trim() || null }));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label={words.name}
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
          label={words.description}
          autosize
          minRows={2}
          maxLength={DESCRIPTION_MAX}
          value={description}
          error={descriptionError}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {error !== undefined && nameError === undefined && descriptionError === undefined && (
          <Problem error={error} what={words.failed} />
        )}
        <div>
          <Button type="submit" loading={sending.isBusy} disabled={name === '' || judgeName(name) !== undefined}>
            {words.submit}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
