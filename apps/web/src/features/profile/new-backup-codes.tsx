import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { BackupCodes } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { routes } from '../../api/index.ts';
import { FormDialog, useWrite } from '../../ui/index.ts';
import { CodeForm } from './code-form.tsx';

const text = texts.profile;

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function NewBackupCodes({ opened, onClose }: DialogProps) {
  return (
    <FormDialog of={opened ? 'new' : undefined} title={() => text.newCodes} holdsSecret onClose={onClose}>
      {() => <Steps onDone={onClose} />}
    </FormDialog>
  );
}

function Steps({ onDone }: { onDone: () => void }) {
  const write = useWrite();
  const route = routes.secondFactor.regenerateBackupCodes;
  const [codes, setCodes] = useState<readonly string[]>();
  const make = async (code: string) => {
    const { body } = await write(route, { body: { otp_code: code } }, { stale: [routes.secondFactor.status] });
    setCodes(body.backup_codes);
  };
  if (!codes) return <CodeForm route={route} lead={text.newCodesText} button={text.makeCodes} send={make} />;
  return (
    <Stack gap="md">
      <BackupCodes codes={codes} />
      <Button onClick={onDone}>{text.done}</Button>
    </Stack>
  );
}
