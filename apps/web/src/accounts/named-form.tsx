import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RouteRef } from '../api/index.ts';
import { ApiFormBody, useApiForm } from '../ui/index.ts';
import { NameField } from './name-field.tsx';

interface NamedFormProps {
  readonly words: {
    readonly name: string;
    readonly description: string;
    readonly taken: string;
    readonly failed: string;
    readonly submit: string;
  };
  readonly route: Pick<RouteRef, 'id'>;
  /** Rejects with the reason if nothing was created. */
  readonly send: (values: { name: string; description: string | null }) => Promise<unknown>;
  readonly children?: ReactNode;
}

/** Form that creates a record with a name and a description. */
export function NamedForm({ words, route, send, children }: NamedFormProps) {
  const form = useApiForm({
    route,
    initial: { name: '', description: '' },
    send: ({ name, description }) => send({ name, description: description.trim() || null }),
    refusals: { 'record.exists': { name: words.taken } },
  });
  return (
    <ApiFormBody form={form} action={words.submit} failed={words.failed}>
      <NameField label={words.name} {...form.field('name')} isFirst />
      <Textarea label={words.description} autosize minRows={2} {...form.field('description')} />
      {children}
    </ApiFormBody>
  );
}
