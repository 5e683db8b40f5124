import { useBlocker } from '@tanstack/react-router';
import { texts } from '../../../texts/index.ts';

const text = texts.policies.editing.useLeaveGuard;

/** Raw keys and files exist only on this page, so leaving it asks first. Switching tabs on the page does not. */
export function useLeaveGuard(isNeeded: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded && current.pathname !== next.pathname && !window.confirm(text.leave),
    enableBeforeUnload: isNeeded,
  });
}
