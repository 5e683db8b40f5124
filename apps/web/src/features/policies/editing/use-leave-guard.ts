import { useBlocker } from '@tanstack/react-router';

/** Raw keys and files live in this page alone: leaving it asks. Going to another tab of it does not. */
export function useLeaveGuard(isNeeded: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isNeeded &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving? Raw keys and files that were not saved are not kept in the browser.'),
    enableBeforeUnload: isNeeded,
  });
}
