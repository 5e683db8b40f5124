import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { signIn } from '../api/index.ts';
import { Problem } from '../ui/index.ts';

/** Name and password. `username` fixes the name: whoever was signed in goes on. */
export function SignInForm({ username }: { username?: string }) {
  const [name, setName] = useState(username ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await signIn(name, password);
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
