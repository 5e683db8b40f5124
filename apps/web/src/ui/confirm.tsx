import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { texts } from '../texts/index.ts';
import { Problem } from './notice.tsx';

const text = texts.ui.confirm;

export interface ConfirmProps {
  readonly opened: boolean;
  readonly title: string;
  /** What will happen, to whom. */
  readonly children: ReactNode;
  /** The verb on the button: `Delete`, `Stop`. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** False: the consequences are not loaded yet, so they cannot be confirmed. */
  readonly isReady?: boolean;
  /** The dialog stays open with the error when it rejects, and closes when it resolves. */
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
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="md">
        <div>{children}</div>
        {error !== undefined && <Problem error={error} what={text.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {text.cancel}
          </Button>
          <Button
            color={isDangerous ? 'red.9' : undefined}
            loading={isBusy}
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
