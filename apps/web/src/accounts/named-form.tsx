import { Button, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldError } from '../api/index.ts';
import { Problem, useSending } from '../ui/index.ts';
import { NameField } from './name-field.tsx';
import { explainName, judgeName } from './names.ts';

/** Limit of project and group descriptions. */
export const DESCRIPTION_MAX = 1024;

interface NamedFormProps {
  readonly words: {
    readonly name: string;
    readonly description: string;
    readonly taken: string;
    readonly failed: string;
    readonly submit: string;
  };
  /** Rejects with the reason if nothing was created. */
  readonly send: (values: { name: string; description: string | null }) => Promise<unknown>;
  readonly children?: ReactNode;
}

/** Form for something with a name and a description. */
export function NamedForm({ words, send, children }: NamedFormProps) {
  const sending = useSending();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const { error } = sending;
  const nameError = explainName(name, error, { taken: words.taken });
  const descriptionError = fieldError(error, 'description');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(() => send({ name, description: description.trim() || null }));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <NameField
          label={words.name}
          value={name}
          error={nameError}
          onChange={(text) => {
            sending.clear();
            setName(text);
          }}
          isFirst
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
        {children}
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
