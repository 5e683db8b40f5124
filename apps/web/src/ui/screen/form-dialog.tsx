import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useKept } from '../use-kept.ts';

interface FormDialogProps<T> {
  /** The record of the form, or `new`; undefined closes the dialog. */
  readonly of: T | undefined;
  readonly title: (record: T) => ReactNode;
  readonly size?: 'md' | 'lg';
  /** True: a click outside does not close it, because it shows what cannot be shown again. */
  readonly holdsSecret?: boolean;
  readonly onClose: () => void;
  readonly children: (record: T) => ReactNode;
}

/** A dialog with a form, which starts with a new state. The form stays readable while the dialog closes. */
export function FormDialog<T>({ of, title, size = 'md', holdsSecret = false, onClose, children }: FormDialogProps<T>) {
  const shown = useKept(of);
  return (
    <Modal
      opened={of !== undefined}
      onClose={onClose}
      title={shown !== undefined && title(shown)}
      size={size}
      closeOnClickOutside={!holdsSecret}
    >
      {shown !== undefined && children(shown)}
    </Modal>
  );
}
