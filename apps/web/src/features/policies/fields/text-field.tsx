import { TextInput, type TextInputProps } from '@mantine/core';
import { useDraftText } from '../form/use-draft-text.ts';

interface TextFieldProps
  extends Pick<TextInputProps, 'label' | 'description' | 'placeholder' | 'inputMode' | 'autoFocus' | 'className'> {
  readonly value: string;
  readonly onCommit: (text: string) => void;
  readonly error?: string | undefined;
  readonly isReadOnly: boolean;
  readonly isRequired?: boolean;
  readonly isCode?: boolean;
  readonly ariaLabel?: string;
}

export function TextField({
  value,
  onCommit,
  error,
  isReadOnly,
  isRequired,
  isCode,
  ariaLabel,
  autoFocus,
  ...rest
}: TextFieldProps) {
  const draft = useDraftText(value, onCommit);
  return (
    <TextInput
      {...rest}
      // Selects the initial text, so that typing replaces it.
      {...(autoFocus && { autoFocus, onFocus: (event) => event.currentTarget.select() })}
      aria-label={ariaLabel}
      value={draft.text}
      error={error}
      withAsterisk={isRequired === true}
      readOnly={isReadOnly}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      {...(isCode && { styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } })}
      onChange={(event) => draft.set(event.currentTarget.value)}
      onBlur={draft.flush}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) draft.flush();
      }}
    />
  );
}
