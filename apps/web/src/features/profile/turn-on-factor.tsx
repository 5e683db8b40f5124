import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FactorSetUp, SetUpSteps } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { sayDone } from '../../ui/index.ts';
import { CodeForm, ShownOnceDialog } from './code-form.tsx';
import { ConfirmForm } from './confirm-form.tsx';

const text = texts.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Sets up a second factor. Key and codes cannot be loaded again. */
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
  return (
    <ConfirmForm
      lead={text.intro}
      button={text.cont}
      failed={text.notDone}
      send={async (password) => onSetUp((await call(routes.secondFactor.enable, { body: { password } })).body)}
    />
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
        // This session may now use projects that require a factor.
        await invalidate(queryClient, routes.secondFactor.status, routes.profile.listSessions, routes.capability.get);
      }}
    />
  );
}
