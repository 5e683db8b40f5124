import { useState } from 'react';
import { type FactorSetUp, SetUpSteps } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { routes } from '../../api/index.ts';
import { ApiFormBody, FormDialog, useApiForm, useWrite } from '../../ui/index.ts';
import { CodeForm } from './code-form.tsx';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';

const text = texts.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Sets up a second factor. Key and codes cannot be loaded again. */
export function TurnOnFactor({ opened, onClose }: DialogProps) {
  return (
    <FormDialog of={opened ? 'new' : undefined} title={() => text.turnOnTitle} holdsSecret onClose={onClose}>
      {() => <Steps onDone={onClose} />}
    </FormDialog>
  );
}

function Steps({ onDone }: { onDone: () => void }) {
  const [setUp, setSetUp] = useState<FactorSetUp>();
  return setUp ? (
    <SetUpSteps setUp={setUp}>
      <ConfirmCode onDone={onDone} />
    </SetUpSteps>
  ) : (
    <AskPassword onSetUp={setSetUp} />
  );
}

function AskPassword({ onSetUp }: { onSetUp: (setUp: FactorSetUp) => void }) {
  const write = useWrite();
  const form = useApiForm({
    route: routes.secondFactor.enable,
    initial: { current_password: '' },
    refusals: WRONG_PASSWORD,
    send: async ({ current_password: password }) =>
      onSetUp((await write(routes.secondFactor.enable, { body: { password } })).body),
  });
  return (
    <ApiFormBody form={form} action={text.cont} failed={text.notDone} isReady={form.values.current_password !== ''}>
      <p style={{ margin: 0 }}>{text.intro}</p>
      <CurrentPassword {...form.field('current_password')} />
    </ApiFormBody>
  );
}

/** This session may then use projects that require a factor. */
const STALE = [routes.secondFactor.status, routes.profile.listSessions, routes.capability.get];

function ConfirmCode({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const { verify } = routes.secondFactor;
  const send = async (code: string) => {
    await write(verify, { body: { code } }, { done: text.isOn, stale: STALE });
    onDone();
  };
  return <CodeForm route={verify} button={text.confirm} send={send} />;
}
