import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { NewPassword } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import classes from './profile.module.css';

const words = texts.profile.passwordForm;

/** Changes the own password. This session continues, all others end. */
export function PasswordForm({ username }: { username: string }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { error } = sending;
  const code = error instanceof ApiError ? error.code : undefined;
  const weak = code === 'password.weak' && error instanceof ApiError ? error.message : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isChanged = await sending.send(() =>
      call(routes.profile.changePassword, { body: { current_password: current, new_password: next } }),
    );
    if (!isChanged) return;
    setCurrent('');
    setNext('');
    sayDone(words.form.done);
    await invalidate(queryClient, routes.profile.get, routes.profile.listSessions);
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      {/* Password managers look for the user name. */}
      <input type="text" className="visually-hidden" autoComplete="username" value={username} readOnly hidden />
      <CurrentPassword
        value={current}
        isWrong={code === 'password.wrong'}
        onChange={(text) => {
          sending.clear();
          setCurrent(text);
        }}
      />
      <NewPassword
        label={words.form.newPassword}
        username={username}
        value={next}
        onChange={(text) => {
          sending.clear();
          setNext(text);
        }}
        error={weak}
      />
      {error !== undefined && code !== 'password.wrong' && weak === undefined && (
        <Problem error={error} what={words.form.failed} />
      )}
      <div className={classes.foot}>
        <Button type="submit" loading={sending.isBusy} disabled={current === '' || next === ''}>
          {words.form.change}
        </Button>
        <span className={lines.dim}>{words.form.endsSessions}</span>
      </div>
    </form>
  );
}

interface CurrentPasswordProps {
  readonly value: string;
  readonly isWrong: boolean;
  readonly onChange: (password: string) => void;
}

/** Asked again, so that an unlocked screen is not enough to take over the account. */
export function CurrentPassword({ value, isWrong, onChange }: CurrentPasswordProps) {
  return (
    <PasswordInput
      label={words.currentPassword.label}
      autoComplete="current-password"
      required
      withAsterisk={false}
      maxLength={1024}
      visibilityToggleButtonProps={{ 'aria-label': words.currentPassword.show }}
      value={value}
      error={isWrong ? words.currentPassword.wrong : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
