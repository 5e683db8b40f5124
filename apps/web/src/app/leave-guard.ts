import { useBlocker } from '@tanstack/react-router';

interface LeaveGuard {
  /** True: something that is stored nowhere would be lost. */
  readonly isNeeded: boolean;
  readonly question: string;
  /** True: other tabs of the page lose it, too. */
  readonly guardsTabs?: boolean;
}

/** Asks before the user leaves the page. */
export function useLeaveGuard({ isNeeded, question, guardsTabs = false }: LeaveGuard): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isNeeded && (guardsTabs || current.pathname !== next.pathname) && !window.confirm(question),
    enableBeforeUnload: isNeeded,
  });
}
