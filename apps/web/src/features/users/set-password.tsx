import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { NewPassword } from '../../accounts/index.ts';
import { ApiError, fieldError } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';

const words = texts.users.setPassword;

interface DialogProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function SetPassword({ opened, onClose, ...change }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.dialog.title(change.user.username)}>
      <PasswordForm {...change} onClose={onClose} />
    </Modal>
  );
}

function PasswordForm({ onClose, ...change }: Omit<DialogProps, 'opened'>) {
  const { patch } = useChangeUser(change);
  const sending = useSending();
  const [password, setPassword] = useState('');
  const { username } = change.user;
  const weak = sending.error instanceof ApiError ? fieldError(sending.error, 'password') : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await sending.send(() => patch({ password })))) return;
    onClose();
    sayDone(words.form.done(username));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text>{words.form.whatHappens(<bdi>{username}</bdi>)}</Text>
        <NewPassword
          label={words.form.newPassword}
          username={username}
          value={password}
          onChange={(text) => {
            sending.clear();
            setPassword(text);
          }}
          error={weak}
          canMake
        />
        {sending.error !== undefined && weak === undefined && (
          <Problem error={sending.error} what={words.form.failed} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {texts.ui.confirm.cancel}
          </Button>
          <Button type="submit" loading={sending.isBusy} disabled={password === ''}>
            {words.form.set}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
