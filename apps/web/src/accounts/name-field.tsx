import { TextInput } from '@mantine/core';
import { NAME_HINT } from './names.ts';

interface NameFieldProps {
  readonly label: string;
  /** Allowed characters; has a default. */
  readonly description?: string | undefined;
  readonly placeholder?: string;
  readonly value?: string;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  /** Gets the focus when the drawer opens. */
  readonly isFirst?: boolean;
  readonly onChange: (name: string) => void;
}

/** Input for a unique name, without autocorrection. */
export function NameField({ description = NAME_HINT, isFirst = false, onChange, ...input }: NameFieldProps) {
  return (
    <TextInput
      {...input}
      description={description}
      required
      withAsterisk={false}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(isFirst && { 'data-autofocus': true })}
    />
  );
}
