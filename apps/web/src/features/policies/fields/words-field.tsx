import { MultiSelect, TagsInput } from '@mantine/core';

interface WordsFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: readonly string[];
  readonly onChange: (words: readonly string[]) => void;
  /** Allowed words; undefined allows any. */
  readonly options?: readonly string[] | undefined;
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
  readonly isRequired?: boolean;
  readonly placeholder?: string | undefined;
  readonly autoFocus?: boolean | undefined;
}

/** Edits a list of words: the user types each and ends it with Enter or a comma, or selects it. */
export function WordsField({ value, onChange, options, isReadOnly, isRequired, ...rest }: WordsFieldProps) {
  const shared = {
    ...rest,
    value: [...value],
    onChange,
    readOnly: isReadOnly,
    withAsterisk: isRequired === true,
    size: 'sm' as const,
    comboboxProps: { withinPortal: true },
  };
  if (options)
    return <MultiSelect {...shared} data={[...new Set([...options, ...value])]} searchable hidePickedOptions />;
  return <TagsInput {...shared} acceptValueOnBlur splitChars={[',', ' ']} />;
}
