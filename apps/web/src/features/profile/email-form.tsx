import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, fieldError, invalidate, loadSession, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { CurrentPassword } from './password-form.tsx';
import classes from './profile.module.css';

const words = texts.profile.emailForm;

/** The own address; empty removes it. */
export function EmailForm({ email }: { email: string | null }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [typed, setTyped] = useState<string>();
  const [password, setPassword] = useState('');
  const value = typed ?? email ?? '';
  const isChanged = value.trim() !== (email ?? '');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'password.wrong';
  const invalid = fieldError(error, 'email');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { email: value.trim() || null, current_password: password };
    if (!(await sending.send(() => call(routes.profile.changeEmail, { body })))) return;
    await loadSession();
    setTyped(undefined);
    setPassword('');
    sayDone(body.email === null ? words.emailRemoved : words.emailChanged);
    await invalidate(queryClient, routes.profile.get, routes.user.get, routes.user.list);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <TextInput
        label={words.email}
        type="email"
        autoComplete="email"
        maxLength={254}
        value={value}
        error={invalid}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {isChanged && (
        <CurrentPassword
          value={password}
          isWrong={isWrong}
          onChange={(text) => {
            sending.clear();
            setPassword(text);
          }}
        />
      )}
      {error !== undefined && !isWrong && invalid === undefined && <Problem error={error} what={words.failed} />}
      <div>
        <Button type="submit" loading={sending.isBusy} disabled={!isChanged || password === ''}>
          {words.change}
        </Button>
      </div>
    </form>
  );
}
