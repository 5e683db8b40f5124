import { useState } from 'react';

export interface Sending {
  readonly isBusy: boolean;
  /** Why the last try failed; undefined while the next one is under way. */
  readonly error: unknown;
  /** Resolves to whether it was done; never rejects. */
  send(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** One write of a form: whether it is on its way, and why it failed. */
export function useSending(): Sending {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    error,
    clear: () => setError(undefined),
    send: async (work) => {
      setBusy(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (failure) {
        setError(failure);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
