import { Button, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { PasskeyName } from './add-passkey.tsx';
import { CurrentPassword } from './password-form.tsx';

const text = texts.passkeys;

interface ChangeProps {
  readonly passkey: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function RenamePasskey({ passkey, onClose }: ChangeProps) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState(passkey.name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { params: { passkey_id: passkey.id }, body: { name } };
    if (!(await sending.send(() => call(routes.passkey.rename, input)))) return;
    onClose();
    await invalidate(queryClient, routes.passkey.list);
  };
  return (
    <Modal opened onClose={onClose} title={text.renameOf(passkey.name)} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <PasskeyName value={name} onChange={setName} />
          {sending.error !== undefined && <Problem error={sending.error} what={text.notRenamed} />}
          <Button type="submit" loading={sending.isBusy} disabled={name.trim() === ''}>
            {text.save}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

export function RemovePasskey({ passkey, onClose }: ChangeProps) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [password, setPassword] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'password.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { params: { passkey_id: passkey.id }, body: { password } };
    if (!(await sending.send(() => call(routes.passkey.remove, input)))) return;
    sayDone(text.removed);
    onClose();
    await invalidate(queryClient, routes.passkey.list);
  };
  return (
    <Modal opened onClose={onClose} title={text.removeTitle} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <p style={{ margin: 0 }}>{text.removeText(passkey.name)}</p>
          <CurrentPassword
            value={password}
            isWrong={isWrong}
            onChange={(typed) => {
              sending.clear();
              setPassword(typed);
            }}
          />
          {error !== undefined && !isWrong && <Problem error={error} what={text.notRemoved} />}
          <Button type="submit" color="red.9" loading={sending.isBusy} disabled={password === ''}>
            {text.remove}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
