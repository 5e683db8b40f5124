import { Button, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CodeInput, type FactorKind, isComplete, toGiven } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { CurrentPassword } from './password-form.tsx';

const text = texts.secondFactor.profile;
const words = texts.secondFactor.signIn;

export function TurnOffFactor({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.turnOffTitle} closeButtonProps={{ 'aria-label': 'Close' }}>
      <TurnOffForm onDone={onClose} />
    </Modal>
  );
}

function TurnOffForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [password, setPassword] = useState('');
  const [kind, setKind] = useState<FactorKind>('otp_code');
  const [code, setCode] = useState('');
  const { error } = sending;
  const refused = error instanceof ApiError ? error.code : undefined;
  const isAtField = refused === 'password.wrong' || refused === 'factor.wrong';
  const other: FactorKind = kind === 'otp_code' ? 'backup_code' : 'otp_code';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { password, ...toGiven(kind, code) };
    const isOff = await sending.send(() => call(routes.secondFactor.disable, { body }));
    if (!isOff) return;
    sayDone(text.isOff);
    onDone();
    await invalidate(queryClient, routes.secondFactor.status);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{text.turnOffText}</p>
        <CurrentPassword
          value={password}
          isWrong={refused === 'password.wrong'}
          onChange={(next) => {
            sending.clear();
            setPassword(next);
          }}
        />
        <CodeInput
          key={kind}
          kind={kind}
          value={code}
          error={refused === 'factor.wrong' ? words.wrong : undefined}
          onChange={(next) => {
            sending.clear();
            setCode(next);
          }}
        />
        <Button
          variant="subtle"
          color="gray"
          onClick={() => {
            setCode('');
            setKind(other);
          }}
        >
          {other === 'backup_code' ? words.useBackup : words.useCode}
        </Button>
        {error !== undefined && !isAtField && <Problem error={error} what={text.notDone} />}
        <Button
          type="submit"
          color="red.9"
          loading={sending.isBusy}
          disabled={password === '' || !isComplete(kind, code)}
        >
          {text.turnOff}
        </Button>
      </Stack>
    </form>
  );
}
