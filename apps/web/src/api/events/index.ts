import { getSession, subscribeSession } from '../session.ts';
import { setStream } from './connection.ts';
import { type SharedEventHandlers, SharedEvents } from './shared-events.ts';

export { useConnection } from './connection.ts';

/**
 * Follows the changes of a project for one account until the returned function is called. Reconnects by itself and
 * misses nothing. However many tabs follow, the browser holds one stream.
 */
export function followEvents(
  of: { userId: string; project: string },
  handlers: Omit<SharedEventHandlers, 'onState'>,
): () => void {
  const events = new SharedEvents(of, { ...handlers, onState: setStream });
  const onHide = () => events.stop();
  const onShow = ({ persisted }: PageTransitionEvent) => {
    events.start();
    // A page from the back/forward cache shows the state from when it was left.
    if (persisted) handlers.onResync();
  };
  const onSeen = () => events.show(document.visibilityState === 'visible');
  const onWake = () => events.wake();
  window.addEventListener('pagehide', onHide);
  window.addEventListener('pageshow', onShow);
  window.addEventListener('online', onWake);
  document.addEventListener('visibilitychange', onSeen);
  document.addEventListener('resume', handlers.onResync);
  let { status } = getSession();
  const unsubscribe = subscribeSession(() => {
    const before = status;
    ({ status } = getSession());
    if (status === 'signedIn' && before !== 'signedIn') events.wake();
  });
  events.start();
  return () => {
    window.removeEventListener('pagehide', onHide);
    window.removeEventListener('pageshow', onShow);
    window.removeEventListener('online', onWake);
    document.removeEventListener('visibilitychange', onSeen);
    document.removeEventListener('resume', handlers.onResync);
    unsubscribe();
    events.stop();
    setStream({ status: 'connecting' });
  };
}
