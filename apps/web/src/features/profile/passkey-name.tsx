import { TextInput, type TextInputProps } from '@mantine/core';
import { passkeysTexts } from '../../shell/sign-in-texts.ts';

const text = passkeysTexts;

export function PasskeyName(field: Pick<TextInputProps, 'value' | 'error' | 'onChange'>) {
  return (
    <TextInput
      label={text.name}
      description={text.nameHint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required
      withAsterisk={false}
      maxLength={64}
      data-autofocus
      {...field}
    />
  );
}
