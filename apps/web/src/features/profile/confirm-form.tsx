import { Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../../api/index.ts';
import { Problem, type Sending, useSending } from '../../ui/index.ts';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';

interface ConfirmFormProps {
  readonly lead: string;
  readonly button: string;
  readonly isDangerous?: boolean;
  /** Whether the other fields are filled in. */
  readonly isReady?: boolean;
  readonly before?: ReactNode;
  /** Renders fields after the password. `refused` is the code of the last refusal. */
  readonly after?: (refused: string | undefined, sending: Sending) => ReactNode;
  /** Codes that fields of `after` show themselves. */
  readonly codesAtFields?: readonly string[];
  /** Title of a failure, or a function of the error. */
  readonly failed: string | ((error: unknown) => ReactNode);
  /** Rejects with the reason of a refusal. */
  readonly send: (password: string) => Promise<unknown>;
  readonly onSent?: () => Promise<void>;
}

/** Asks for the password, so that an unlocked screen is not enough; shows a wrong one at its field. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { lead, button, isDangerous, isReady = true, before, after, codesAtFields = [], failed, send, onSent } = props;
  const sending = useSending();
  const [password, setPassword] = useState('');
  const { error } = sending;
  const refused = error instanceof ApiError ? error.code : undefined;
  const isAtField = refused !== undefined && ['password.wrong', ...codesAtFields].includes(refused);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await sending.send(() => send(password))) await onSent?.();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{lead}</p>
        {before}
        <CurrentPassword
          value={password}
          error={refused === 'password.wrong' ? WRONG_PASSWORD[refused].current_password : undefined}
          onChange={(event) => {
            sending.clear();
            setPassword(event.currentTarget.value);
          }}
        />
        {after?.(refused, sending)}
        {error !== undefined &&
          !isAtField &&
          (typeof failed === 'string' ? <Problem error={error} what={failed} /> : failed(error))}
        <Button
          type="submit"
          loading={sending.isBusy}
          disabled={password === '' || !isReady}
          {...(isDangerous && { color: 'red.9' })}
        >
          {button}
        </Button>
      </Stack>
    </form>
  );
}
