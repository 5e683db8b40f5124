import type { NotificationData } from '@mantine/notifications';
import { explain } from './notice.tsx';
import { texts } from './texts.tsx';

let isWanted = false;
const listeners = new Set<() => void>();

/** Records whether there was a toast. The first one loads the renderer. */
export const toastDemand = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isWanted: () => isWanted,
};

/** Confirms a completed action. Messages that must be read stay in the page instead. */
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
  notifications.show({ closeButtonProps: { 'aria-label': texts.close }, ...toast });
}
