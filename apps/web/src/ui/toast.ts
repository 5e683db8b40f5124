import type { NotificationData } from '@mantine/notifications';
import { texts } from '../texts/index.ts';
import { explain } from './notice.tsx';

let isWanted = false;
const listeners = new Set<() => void>();

/** Whether anything was ever said: what shows it is fetched then. */
export const toastDemand = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isWanted: () => isWanted,
};

/** Says in passing what has been done. What needs to be read stays in the page instead. */
export function sayDone(message: string): void {
  void show({ message, autoClose: 4000 });
}

export function sayFailed(what: string, error: unknown): void {
  void show({ title: what, message: explain(error).message, color: 'red', autoClose: 10_000 });
}

async function show(toast: NotificationData): Promise<void> {
  isWanted = true;
  for (const listener of listeners) listener();
  const { notifications } = await import('@mantine/notifications');
  notifications.show({ closeButtonProps: { 'aria-label': texts.ui.close }, ...toast });
}
