import { Button, Modal, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { BackupCodes, CodeInput, isComplete } from '../../accounts/index.ts';
import { ApiError, call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem, useSending } from '../../ui/index.ts';

const text = texts.secondFactor.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function NewBackupCodes({ opened, onClose }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={text.newCodes}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Steps onDone={onClose} />
    </Modal>
  );
}

function Steps({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const sending = useSending();
  const [code, setCode] = useState('');
  const [codes, setCodes] = useState<readonly string[]>();
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'factor.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { body } = await call(routes.secondFactor.regenerateBackupCodes, { body: { otp_code: code } });
      setCodes(body.backup_codes);
      void invalidate(queryClient, routes.secondFactor.status);
    });
  };
  if (codes)
    return (
      <Stack gap="md">
        <BackupCodes codes={codes} />
        <Button onClick={onDone}>{text.done}</Button>
      </Stack>
    );
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p style={{ margin: 0 }}>{text.newCodesText}</p>
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
          {text.makeCodes}
        </Button>
      </Stack>
    </form>
  );
}
