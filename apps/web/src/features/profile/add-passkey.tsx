import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isElsewhere, isKnownHere, makePasskey, wasCancelled } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Notice, Problem, sayDone, useSending } from '../../ui/index.ts';
import { CurrentPassword } from './password-form.tsx';

const text = texts.passkeys;

interface AddPasskeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Name and password first; then the browser asks its own questions. */
export function AddPasskey({ opened, onClose }: AddPasskeyProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.add} closeButtonProps={{ 'aria-label': 'Close' }}>
      <AddForm onDone={onClose} />
    </Modal>
  );
}

function AddForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'password.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isAdded = await sending.send(async () => {
      const passkey = await makePasskey(password);
      await call(routes.passkey.add, { body: { name, passkey } });
    });
    if (!isAdded) return;
    sayDone(text.added);
    onDone();
    await invalidate(queryClient, routes.passkey.list, routes.profile.listSessions, routes.secondFactor.status);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{text.addLead}</p>
        <PasskeyName value={name} onChange={setName} />
        <CurrentPassword
          value={password}
          isWrong={isWrong}
          onChange={(typed) => {
            sending.clear();
            setPassword(typed);
          }}
        />
        {!isWrong && <NotMade error={error} />}
        <Button type="submit" loading={sending.isBusy} disabled={name.trim() === '' || password === ''}>
          {text.next}
        </Button>
      </Stack>
    </form>
  );
}

interface PasskeyNameProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

export function PasskeyName({ value, onChange }: PasskeyNameProps) {
  return (
    <TextInput
      label={text.name}
      description={text.nameHint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required
      withAsterisk={false}
      maxLength={64}
      data-autofocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function NotMade({ error }: { error: unknown }) {
  if (error === undefined) return null;
  if (wasCancelled(error)) return <Notice tone="warn" title={text.cancelled} />;
  if (isKnownHere(error)) return <Notice tone="warn" title={text.known} />;
  if (isElsewhere(error)) return <Notice tone="warn" title={texts.signIn.passkeyElsewhere} />;
  return <Problem error={error} what={text.notAdded} />;
}
