import { useBlocker } from '@tanstack/react-router';
import { texts } from './texts.tsx';

const text = texts.useLeaveGuard;

/** Asks before the user leaves the page, because raw keys and files exist only there. Switching tabs on the page does not ask. */
export function useLeaveGuard(isNeeded: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded && current.pathname !== next.pathname && !window.confirm(text.leave),
    enableBeforeUnload: isNeeded,
  });
}
