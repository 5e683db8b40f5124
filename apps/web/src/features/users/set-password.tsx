import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { NewPassword } from '../../accounts/index.ts';
import { ApiError, fieldError } from '../../api/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { type UserChangeProps, useChangeUser } from './change-user.ts';

interface DialogProps extends UserChangeProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function SetPassword({ opened, onClose, ...change }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Set a password for ${change.user.username}`}>
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
    sayDone(`${username} has a new password.`);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text>
          All sessions of <bdi>{username}</bdi> end at once. Copy the password before you set it: nobody can show it
          afterwards. API tokens go on working.
        </Text>
        <NewPassword
          label="New password"
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
          <Problem error={sending.error} what="The password was not set" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isBusy} disabled={password === ''}>
            Set the password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
