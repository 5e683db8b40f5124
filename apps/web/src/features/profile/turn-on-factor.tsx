import { Button, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CodeInput, type FactorSetUp, isComplete, SetUpSteps } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { CurrentPassword } from './password-form.tsx';

const text = texts.secondFactor.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** What it shows is gone when it closes: the key and the codes are not asked for again. */
export function TurnOnFactor({ opened, onClose }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={text.turnOnTitle}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Steps onDone={onClose} />
    </Modal>
  );
}

function Steps({ onDone }: { onDone: () => void }) {
  const [setUp, setSetUp] = useState<FactorSetUp>();
  return setUp ? (
    <SetUpSteps setUp={setUp}>
      <Confirm onDone={onDone} />
    </SetUpSteps>
  ) : (
    <AskPassword onSetUp={setSetUp} />
  );
}

function AskPassword({ onSetUp }: { onSetUp: (setUp: FactorSetUp) => void }) {
  const sending = useSending();
  const [password, setPassword] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'password.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.secondFactor.enable, { body: { password } });
      onSetUp(body);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{text.intro}</p>
        <CurrentPassword
          value={password}
          isWrong={isWrong}
          onChange={(next) => {
            sending.clear();
            setPassword(next);
          }}
        />
        {error !== undefined && !isWrong && <Problem error={error} what={text.notDone} />}
        <Button type="submit" loading={sending.isBusy} disabled={password === ''}>
          {text.cont}
        </Button>
      </Stack>
    </form>
  );
}

function Confirm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [code, setCode] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'factor.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isOn = await sending.send(() => call(routes.secondFactor.verify, { body: { code } }));
    if (!isOn) return;
    sayDone(text.isOn);
    onDone();
    await invalidate(queryClient, routes.secondFactor.status, routes.profile.listSessions);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <CodeInput
          kind="otp_code"
          value={code}
          error={isWrong ? texts.secondFactor.signIn.wrong : undefined}
          onChange={(next) => {
            sending.clear();
            setCode(next);
          }}
        />
        {error !== undefined && !isWrong && <Problem error={error} what={text.notDone} />}
        <Button type="submit" loading={sending.isBusy} disabled={!isComplete('otp_code', code)}>
          {text.confirm}
        </Button>
      </Stack>
    </form>
  );
}
