import { Button } from '@mantine/core';
import { useState } from 'react';
import { CodeInput, type FactorKind, isComplete, toGiven } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { routes } from '../../api/index.ts';
import { ApiFormBody, FormDialog, useApiForm, useWrite } from '../../ui/index.ts';
import { WRONG_CODE } from './code-form.tsx';
import { CurrentPassword, WRONG_PASSWORD } from './password-form.tsx';

const text = texts.profile;
const words = texts.signIn;

export function TurnOffFactor({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <FormDialog of={opened ? 'factor' : undefined} title={() => text.turnOffTitle} onClose={onClose}>
      {() => <TurnOffForm onDone={onClose} />}
    </FormDialog>
  );
}

function TurnOffForm({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const [kind, setKind] = useState<FactorKind>('otp_code');
  const other: FactorKind = kind === 'otp_code' ? 'backup_code' : 'otp_code';
  const form = useApiForm({
    route: routes.secondFactor.disable,
    initial: { current_password: '', typed: '' },
    refusals: { ...WRONG_PASSWORD, ...WRONG_CODE },
    send: async ({ current_password: password, typed }) => {
      const body = { password, ...toGiven(kind, typed) };
      await write(routes.secondFactor.disable, { body }, { done: text.isOff, stale: [routes.secondFactor.status] });
      onDone();
    },
  });
  return (
    <ApiFormBody
      form={form}
      action={text.turnOff}
      failed={text.notDone}
      isDangerous
      isReady={form.values.current_password !== '' && isComplete(kind, form.values.typed)}
    >
      <p style={{ margin: 0 }}>{text.turnOffText}</p>
      <CurrentPassword {...form.field('current_password')} />
      <CodeInput key={kind} kind={kind} {...form.field('typed')} />
      <Button
        variant="subtle"
        color="gray"
        onClick={() => {
          form.set('typed', '');
          setKind(other);
        }}
      >
        {other === 'backup_code' ? words.useBackup : words.useCode}
      </Button>
    </ApiFormBody>
  );
}
