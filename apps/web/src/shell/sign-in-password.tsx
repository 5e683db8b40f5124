import type { FactorNeeded } from '@flotilla/contract';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { signIn } from '../api/index.ts';
import { Problem } from '../ui/index.ts';

interface PasswordFormProps {
  readonly username?: string;
  readonly onFactorNeeded: (needed: FactorNeeded) => void;
}

export function PasswordForm({ username, onFactorNeeded }: PasswordFormProps) {
  const [name, setName] = useState(username ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const needed = await signIn(name, password);
      if (needed) onFactorNeeded(needed);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <TextInput
          label="User name"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus={username === undefined}
          autoFocus={username === undefined}
          readOnly={username !== undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={username !== undefined}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error !== undefined && <Problem error={error} what="You are not signed in" />}
        <Button type="submit" size="sm" loading={isBusy}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
