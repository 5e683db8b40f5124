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
    <Modal opened={opened} onClose={onClose} title={words.setPassword.title(change.user.username)}>
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
    sayDone(words.passwordForm.done(username));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text>{words.passwordForm.text(<bdi>{username}</bdi>)}</Text>
        <NewPassword
          label={words.passwordForm.label}
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
          <Problem error={sending.error} what={words.passwordForm.what} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {words.passwordForm.button}
          </Button>
          <Button type="submit" loading={sending.isBusy} disabled={password === ''}>
            {words.passwordForm.buttonSetPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
