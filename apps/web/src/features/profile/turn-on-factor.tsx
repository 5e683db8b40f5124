import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type FactorSetUp, SetUpSteps } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, sayDone, useSending } from '../../ui/index.ts';
import { CodeForm, ShownOnceDialog } from './code-form.tsx';
import { CurrentPassword } from './password-form.tsx';

const text = texts.secondFactor.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The key and the codes are not asked for again. */
export function TurnOnFactor({ opened, onClose }: DialogProps) {
  return (
    <ShownOnceDialog title={text.turnOnTitle} opened={opened} onClose={onClose}>
      <Steps onDone={onClose} />
    </ShownOnceDialog>
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
  return (
    <CodeForm
      button={text.confirm}
      send={(code) => call(routes.secondFactor.verify, { body: { code } })}
      onSent={async () => {
        sayDone(text.isOn);
        onDone();
        await invalidate(queryClient, routes.secondFactor.status, routes.profile.listSessions);
      }}
    />
  );
}
