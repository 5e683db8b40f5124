import { useBlocker } from '@tanstack/react-router';
import { texts } from '../../../texts/index.ts';

const text = texts.policies.editing.useLeaveGuard;

/** Raw keys and files live in this page alone: leaving it asks. Going to another tab of it does not. */
export function useLeaveGuard(isNeeded: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded && current.pathname !== next.pathname && !window.confirm(text.leave),
    enableBeforeUnload: isNeeded,
  });
}
