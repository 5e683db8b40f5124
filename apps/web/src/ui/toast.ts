import { notifications } from '@mantine/notifications';
import { explain } from './notice.tsx';

const CLOSE = { 'aria-label': 'Close' };

/** Says in passing what has been done. What needs to be read stays in the page instead. */
export function sayDone(message: string): void {
  notifications.show({ message, autoClose: 4000, closeButtonProps: CLOSE });
}

export function sayFailed(what: string, error: unknown): void {
  notifications.show({
    title: what,
    message: explain(error).message,
    color: 'red',
    autoClose: 10_000,
    closeButtonProps: CLOSE,
  });
}
