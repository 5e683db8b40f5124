import { TextInput } from '@mantine/core';
import { cleanBackupCode, cleanCode } from './codes.ts';
import { texts } from './texts.ts';

const text = texts.signIn;

export interface CodeInputProps {
  readonly kind: 'otp_code' | 'backup_code';
  readonly value?: string;
  readonly error?: string | undefined;
  readonly onChange: (code: string) => void;
}

export function CodeInput({ kind, value, error, onChange }: CodeInputProps) {
  const isOtp = kind === 'otp_code';
  return (
    <TextInput
      label={isOtp ? text.code : text.backupCode}
      description={isOtp ? text.codeHint : text.backupHint}
      inputMode={isOtp ? 'numeric' : 'text'}
      autoComplete={isOtp ? 'one-time-code' : 'off'}
      autoCapitalize="none"
      spellCheck={false}
      required
      withAsterisk={false}
      data-autofocus
      autoFocus
      value={value}
      error={error}
      onChange={(event) => {
        const { value: typed } = event.currentTarget;
        onChange(isOtp ? cleanCode(typed) : cleanBackupCode(typed));
      }}
    />
  );
}
