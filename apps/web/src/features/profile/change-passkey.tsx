import { Button, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { passkeysTexts } from '../../shell/sign-in-texts.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { PasskeyName } from './add-passkey.tsx';
import { ConfirmForm } from './confirm-form.tsx';

const text = passkeysTexts;

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
    <Modal opened onClose={onClose} title={text.renameOf(passkey.name)}>
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
  return (
    <Modal opened onClose={onClose} title={text.removeTitle}>
      <ConfirmForm
        lead={text.removeText(passkey.name)}
        button={text.remove}
        isDangerous
        failed={text.notRemoved}
        send={(password) => call(routes.passkey.remove, { params: { passkey_id: passkey.id }, body: { password } })}
        onSent={async () => {
          sayDone(text.removed);
          onClose();
          await invalidate(queryClient, routes.passkey.list);
        }}
      />
    </Modal>
  );
}
