import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { NewPassword } from '../accounts/index.ts';
import { ApiError, call, loadSession, routes, type SessionUser, signOut } from '../api/index.ts';
import { Problem, sayDone, sayFailed, useSending } from '../ui/index.ts';
import { SignInCard } from './sign-in.tsx';
import { SignInProblem } from './sign-in-problem.tsx';
import { signInTexts } from './sign-in-texts.ts';

const text = signInTexts.newPassword;

/** Renders the only page for a user with a temporary password. */
export function FirstPassword({ user: { username } }: { user: SessionUser }) {
  const sending = useSending();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const error = sending.error instanceof ApiError ? sending.error : undefined;
  const isAtField = error?.code === 'password.wrong' || error?.code === 'password.weak';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { current_password: current, new_password: next };
    if (!(await sending.send(() => call(routes.profile.changePassword, { body })))) return;
    sayDone(text.done);
    await loadSession();
  };
  return (
    <SignInCard title={text.documentTitle} lead={text.lead}>
      <form aria-label={text.title} onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {/* Password managers look for the user name. */}
          <input type="text" className="visually-hidden" autoComplete="username" value={username} readOnly hidden />
          <PasswordInput
            label={text.current}
            autoComplete="current-password"
            required
            withAsterisk={false}
            autoFocus
            maxLength={1024}
            visibilityToggleButtonProps={{ 'aria-label': signInTexts.showPassword }}
            value={current}
            error={error?.code === 'password.wrong' ? text.wrong : undefined}
            onChange={(event) => {
              sending.clear();
              setCurrent(event.currentTarget.value);
            }}
          />
          <NewPassword
            label={text.next}
            username={username}
            value={next}
            error={error?.code === 'password.weak' ? error.message : undefined}
            onChange={(typed) => {
              sending.clear();
              setNext(typed);
            }}
          />
          {sending.error !== undefined && !isAtField && <Refused error={sending.error} />}
          <Button type="submit" size="sm" loading={sending.isBusy} disabled={current === '' || next === ''}>
            {text.submit}
          </Button>
          <Button
            variant="subtle"
            color="gray"
            onClick={() => void signOut().catch((failure: unknown) => sayFailed(text.stillIn, failure))}
          >
            {text.signOut}
          </Button>
        </Stack>
      </form>
    </SignInCard>
  );
}

function Refused({ error }: { error: unknown }) {
  const isWait = error instanceof ApiError && error.status === 429;
  return isWait ? <SignInProblem error={error} /> : <Problem error={error} what={text.failed} />;
}
