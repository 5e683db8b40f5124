import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BackupCodes } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { CodeForm, ShownOnceDialog } from './code-form.tsx';

const text = texts.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function NewBackupCodes({ opened, onClose }: DialogProps) {
  return (
    <ShownOnceDialog title={text.newCodes} opened={opened} onClose={onClose}>
      <Steps onDone={onClose} />
    </ShownOnceDialog>
  );
}

function Steps({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const make = async (code: string) => {
    const { body } = await call(routes.secondFactor.regenerateBackupCodes, { body: { otp_code: code } });
    setCodes(body.backup_codes);
    void invalidate(queryClient, routes.secondFactor.status);
  };
  if (!codes) return <CodeForm lead={text.newCodesText} button={text.makeCodes} send={make} />;
  return (
    <Stack gap="md">
      <BackupCodes codes={codes} />
      <Button onClick={onDone}>{text.done}</Button>
    </Stack>
  );
}
