import { TextInput } from '@mantine/core';
import { NAME_HINT } from './names.ts';

interface NameFieldProps {
  readonly label: string;
  /** Which characters a name may have, unless told. */
  readonly description?: string | undefined;
  readonly placeholder?: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  /** Has the focus when its drawer opens. */
  readonly isFirst?: boolean;
  readonly onChange: (name: string) => void;
}

/** The name of something that is found by it: nobody corrects what is typed. */
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
