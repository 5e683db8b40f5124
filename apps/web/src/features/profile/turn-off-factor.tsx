import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeInput, type FactorKind, isComplete, toGiven } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { sayDone } from '../../ui/index.ts';
import { ConfirmForm } from './confirm-form.tsx';

const text = texts.profile;
const words = texts.signIn;

export function TurnOffFactor({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.turnOffTitle}>
      <TurnOffForm onDone={onClose} />
    </Modal>
  );
}

function TurnOffForm({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const [kind, setKind] = useState<FactorKind>('otp_code');
  const [code, setCode] = useState('');
  const other: FactorKind = kind === 'otp_code' ? 'backup_code' : 'otp_code';
  return (
    <ConfirmForm
      lead={text.turnOffText}
      button={text.turnOff}
      isDangerous
      isReady={isComplete(kind, code)}
      codesAtFields={['factor.wrong']}
      failed={text.notDone}
      after={(refused, sending) => (
        <>
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
        </>
      )}
      send={(password) => call(routes.secondFactor.disable, { body: { password, ...toGiven(kind, code) } })}
      onSent={async () => {
        sayDone(text.isOff);
        onDone();
        await invalidate(queryClient, routes.secondFactor.status);
      }}
    />
  );
}
