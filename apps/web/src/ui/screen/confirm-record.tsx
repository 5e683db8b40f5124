import type { ReactNode } from 'react';
import { Confirm } from '../confirm.tsx';
import { useKept } from '../use-kept.ts';

interface ConfirmRecordProps<T> {
  /** The record of the question; undefined closes the dialog. */
  readonly of: T | undefined;
  readonly title: (record: T) => string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly onConfirm: (record: T) => Promise<unknown>;
  readonly onClose: () => void;
  /** Names the consequences and who is affected. */
  readonly children: (record: T) => ReactNode;
}

/** Asks for confirmation of an action on one record of a list. The question stays readable while the dialog closes. */
export function ConfirmRecord<T>({ of, title, onConfirm, children, ...rest }: ConfirmRecordProps<T>) {
  const shown = useKept(of);
  if (shown === undefined) return null;
  return (
    <Confirm {...rest} opened={of !== undefined} title={title(shown)} onConfirm={() => onConfirm(shown)}>
      {children(shown)}
    </Confirm>
  );
}
