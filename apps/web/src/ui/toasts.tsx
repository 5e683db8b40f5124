import { lazy, Suspense, useSyncExternalStore } from 'react';
import { toastDemand } from './toast.ts';

const Notifications = lazy(async () => {
  await import('@mantine/notifications/styles.css');
  return { default: (await import('@mantine/notifications')).Notifications };
});

/** Renders the toasts; loads nothing before the first. */
export function Toasts() {
  const isWanted = useSyncExternalStore(toastDemand.subscribe, toastDemand.isWanted);
  if (!isWanted) return null;
  return (
    <Suspense>
      <Notifications position="bottom-right" limit={4} />
    </Suspense>
  );
}
