import { Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isElsewhere, isKnownHere, makePasskey, wasCancelled } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { passkeysTexts, signInTexts } from '../../shell/sign-in-texts.ts';
import { Notice, Problem, sayDone } from '../../ui/index.ts';
import { ConfirmForm } from './confirm-form.tsx';

const text = passkeysTexts;

interface AddPasskeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks for a name and the password before the browser shows its dialog. */
export function AddPasskey({ opened, onClose }: AddPasskeyProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.add}>
      <AddForm onDone={onClose} />
    </Modal>
  );
}

function AddForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  return (
    <ConfirmForm
      lead={text.addLead}
      button={text.next}
      isReady={name.trim() !== ''}
      before={<PasskeyName value={name} onChange={setName} />}
      failed={(error) => <NotMade error={error} />}
      send={async (password) => {
        const passkey = await makePasskey(password);
        await call(routes.passkey.add, { body: { name, passkey } });
      }}
      onSent={async () => {
        sayDone(text.added);
        onDone();
        await invalidate(queryClient, routes.passkey.list, routes.profile.listSessions, routes.secondFactor.status);
      }}
    />
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
  if (wasCancelled(error)) return <Notice tone="warn" title={text.cancelled} />;
  if (isKnownHere(error)) return <Notice tone="warn" title={text.known} />;
  if (isElsewhere(error)) return <Notice tone="warn" title={signInTexts.passkeyElsewhere} />;
  return <Problem error={error} what={text.notAdded} />;
}
