import type { FactorNeeded, Realm } from '@flotilla/contract';
import { Button, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { signIn } from '../api/index.ts';
import { SignInProblem } from './sign-in-problem.tsx';
import { signInTexts } from './sign-in-texts.ts';

const text = signInTexts;

interface PasswordFormProps {
  readonly username?: string;
  /** Realms of accounts with a password; the form has a select if there is more than one. */
  readonly realms: readonly Realm[];
  readonly onFactorNeeded: (needed: FactorNeeded) => void;
}

export function PasswordForm({ username, realms, onFactorNeeded }: PasswordFormProps) {
  const [name, setName] = useState(username ?? '');
  const [password, setPassword] = useState('');
  const [realm, setRealm] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const needed = await signIn({ username: name, password, ...(realm !== undefined && { realm }) });
      if (needed) onFactorNeeded(needed);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {realms.length > 1 && (
          <NativeSelect
            label={text.realm}
            data={realms.map(({ name: value, title: label }) => ({ value, label }))}
            value={realm ?? realms[0]?.name ?? ''}
            onChange={(event) => setRealm(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={text.username}
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
          label={text.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={username !== undefined}
          visibilityToggleButtonProps={{ 'aria-label': text.showPassword }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <SignInProblem error={error} />
        <Button type="submit" size="sm" loading={isBusy}>
          {text.submit}
        </Button>
      </Stack>
    </form>
  );
}
