import { Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { texts } from './texts.ts';

export interface OperationField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly isNumber?: boolean;
  readonly isRequired?: boolean;
  /** The accepted values. */
  readonly choices?: readonly string[];
}

interface OperationDialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly fields: readonly OperationField[];
  readonly action: string;
  /** Gets the fields that are not empty. */
  readonly onSend: (values: Readonly<Record<string, string | number>>) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the members of a new route, policy or table. The host checks them. */
export function OperationDialog({ opened, title, fields, action, onSend, onClose }: OperationDialogProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const set = (name: string, value: string) => setValues((known) => ({ ...known, [name]: value }));
  const textOf = ({ name }: OperationField) => values[name]?.trim() ?? '';
  const close = () => {
    setValues({});
    onClose();
  };
  const given = fields.filter((field) => textOf(field) !== '');
  const send = () =>
    onSend(
      Object.fromEntries(given.map((field) => [field.name, field.isNumber ? Number(textOf(field)) : textOf(field)])),
    );
  return (
    <Confirm
      opened={opened}
      title={title}
      action={action}
      isReady={fields.every((field) => !field.isRequired || given.includes(field))}
      onConfirm={send}
      onClose={close}
    >
      <Stack gap="sm">
        {fields.map(({ name, label, help, isRequired = false, choices }) => {
          const shared = { label, description: help, withAsterisk: isRequired };
          return choices ? (
            <Select
              key={name}
              {...shared}
              data={choices}
              value={values[name] ?? null}
              onChange={(value) => set(name, value ?? '')}
            />
          ) : (
            <TextInput
              key={name}
              {...shared}
              value={values[name] ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          );
        })}
        <p className={layout.note}>{texts.test}</p>
      </Stack>
    </Confirm>
  );
}
