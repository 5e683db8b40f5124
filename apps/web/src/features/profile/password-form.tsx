import { PasswordInput } from '@mantine/core';
import { NewPassword } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { ApiFormBody, useApiForm, useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const words = texts.passwordForm;

/** The refusal of a form that asks for the current password. */
export const WRONG_PASSWORD = { 'password.wrong': { current_password: words.currentPassword.wrong } };

/** Changes the user's password. This session continues, all others end. */
export function PasswordForm({ username }: { username: string }) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.profile.changePassword,
    initial: { current_password: '', new_password: '' },
    refusals: WRONG_PASSWORD,
    messages: { 'password.weak': 'new_password' },
    send: async (body) => {
      const stale = [routes.profile.get, routes.profile.listSessions];
      await write(routes.profile.changePassword, { body }, { done: words.form.done, stale });
      form.reset();
    },
  });
  return (
    <ApiFormBody
      form={form}
      action={words.form.change}
      failed={words.form.failed}
      hint={words.form.endsSessions}
      isOnPage
    >
      {/* Password managers look for the user name. */}
      <input type="text" className="visually-hidden" autoComplete="username" value={username} readOnly hidden />
      <CurrentPassword {...form.field('current_password')} />
      <NewPassword label={words.form.newPassword} username={username} {...form.field('new_password')} />
    </ApiFormBody>
  );
}

interface CurrentPasswordProps {
  readonly value?: string;
  readonly error?: string | undefined;
  readonly onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void;
}

/** Asks for the password again, so that an unlocked screen is not enough to take over the account. */
export function CurrentPassword(input: CurrentPasswordProps) {
  return (
    <PasswordInput
      label={words.currentPassword.label}
      autoComplete="current-password"
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': words.currentPassword.show }}
      {...input}
    />
  );
}
