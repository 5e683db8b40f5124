import { MultiSelect, TagsInput } from '@mantine/core';

interface WordsFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: readonly string[];
  readonly onChange: (words: readonly string[]) => void;
  /** Allowed words; undefined allows any. */
  readonly options?: readonly string[] | undefined;
  /** Words that are offered, if any may be typed. */
  readonly suggestions?: readonly string[] | undefined;
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
  readonly isRequired?: boolean;
  readonly placeholder?: string | undefined;
  readonly autoFocus?: boolean | undefined;
}

/** Edits a list of words: the user types each and ends it with Enter or a comma, or selects it. */
export function WordsField(props: WordsFieldProps) {
  const { value, onChange, options, suggestions = [], isReadOnly, isRequired, ...rest } = props;
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
  return (
    <TagsInput
      {...shared}
      data={[...suggestions]}
      acceptValueOnBlur
      splitChars={[',', ' ']}
      // Case matters in methods, scopes and claims.
      isDuplicate={(word, words) => words.includes(word)}
    />
  );
}
