import { Button, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { CodeInput, isComplete } from '../../accounts/index.ts';
import { texts } from '../../accounts/second-factor/texts.ts';
import { ApiError } from '../../api/index.ts';
import { Problem, useSending } from '../../ui/index.ts';

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Dialog for secrets that are shown once: a click outside does not close it. */
export function ShownOnceDialog({ title, opened, onClose, children }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeOnClickOutside={false}>
      {children}
    </Modal>
  );
}

interface CodeFormProps {
  readonly lead?: string;
  readonly button: string;
  readonly send: (code: string) => Promise<unknown>;
  /** Runs after success. */
  readonly onSent?: () => Promise<void>;
}

/** Asks for the code of the authenticator and shows a wrong one at its field. */
export function CodeForm({ lead, button, send, onSent }: CodeFormProps) {
  const sending = useSending();
  const [code, setCode] = useState('');
  const { error } = sending;
  const isWrong = error instanceof ApiError && error.code === 'factor.wrong';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await sending.send(() => send(code))) await onSent?.();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {lead !== undefined && <p style={{ margin: 0 }}>{lead}</p>}
        <CodeInput
          kind="otp_code"
          value={code}
          error={isWrong ? texts.signIn.wrong : undefined}
          onChange={(next) => {
            sending.clear();
            setCode(next);
          }}
        />
        {error !== undefined && !isWrong && <Problem error={error} what={texts.profile.notDone} />}
        <Button type="submit" loading={sending.isBusy} disabled={!isComplete('otp_code', code)}>
          {button}
        </Button>
      </Stack>
    </form>
  );
}
