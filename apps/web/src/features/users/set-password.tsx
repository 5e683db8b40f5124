import { Text } from '@mantine/core';
import { NewPassword } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { ApiFormBody, FormDialog, sayDone, useApiForm } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';
import { texts } from './texts.tsx';

const words = texts.setPassword;

interface DialogProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function SetPassword({ opened, onClose, ...change }: DialogProps) {
  return (
    <FormDialog
      of={opened ? change.user : undefined}
      title={({ username }) => words.dialog.title(username)}
      onClose={onClose}
    >
      {() => <PasswordForm {...change} onClose={onClose} />}
    </FormDialog>
  );
}

function PasswordForm({ onClose, ...change }: Omit<DialogProps, 'opened'>) {
  const { patch } = useChangeUser(change);
  const { username } = change.user;
  const form = useApiForm({
    route: routes.user.patch,
    initial: { password: '' },
    send: async (body) => {
      await patch(body);
      onClose();
      sayDone(words.form.done(username));
    },
  });
  return (
    <ApiFormBody
      form={form}
      action={words.form.set}
      failed={words.form.failed}
      isReady={form.values.password !== ''}
      onCancel={onClose}
    >
      <Text>{words.form.whatHappens(<bdi>{username}</bdi>)}</Text>
      <NewPassword label={words.form.newPassword} username={username} {...form.field('password')} canMake />
    </ApiFormBody>
  );
}
