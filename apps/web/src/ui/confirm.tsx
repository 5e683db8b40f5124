import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './notice.tsx';
import { texts } from './texts.tsx';
import { useSending } from './use-sending.ts';

const text = texts.confirm;

export interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  /** Names the consequences and who is affected. */
  readonly children: ReactNode;
  /** Verb on the button: `Delete`, `Stop`. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** False: the consequences are not loaded yet, so they cannot be confirmed. */
  readonly isReady?: boolean;
  /** Runs the action. If it rejects, the dialog stays open and shows the error; if it resolves, the dialog closes. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for confirmation, and shows a failure in the dialog. */
export function Confirm({
  opened,
  title,
  children,
  action,
  isDangerous,
  isReady = true,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const sending = useSending();
  const close = () => {
    sending.clear();
    onClose();
  };
  const confirm = async () => {
    if (await sending.send(onConfirm)) close();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="md">
        <div>{children}</div>
        {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {text.cancel}
          </Button>
          <Button
            color={isDangerous ? 'red.9' : undefined}
            loading={sending.isBusy}
            disabled={!isReady}
            onClick={() => void confirm()}
            data-autofocus
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
