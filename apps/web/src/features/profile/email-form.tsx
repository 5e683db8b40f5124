import { TextInput } from '@mantine/core';
import { loadSession, routes } from '../../api/index.ts';
import { ApiFormBody, useApiForm, useWrite } from '../../ui/index.ts';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';
import { texts } from './texts.tsx';

const words = texts.emailForm;

/** Edits the user's address; empty removes it. A changed address needs a new form. */
export function EmailForm({ email }: { email: string | null }) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.profile.changeEmail,
    initial: { email: email ?? '', current_password: '' },
    refusals: WRONG_PASSWORD,
    send: async ({ email: typed, current_password }) => {
      const body = { email: typed.trim() || null, current_password };
      await write(
        routes.profile.changeEmail,
        { body },
        {
          done: body.email === null ? words.emailRemoved : words.emailChanged,
          stale: [routes.profile.get, routes.user.get, routes.user.list],
        },
      );
      await loadSession();
    },
  });
  const isChanged = form.values.email.trim() !== (email ?? '');
  return (
    <ApiFormBody form={form} action={words.change} failed={words.failed} isReady={isChanged} isOnPage>
      <TextInput label={words.email} type="email" autoComplete="email" {...form.field('email')} />
      {isChanged && <CurrentPassword {...form.field('current_password')} />}
    </ApiFormBody>
  );
}
