import { useState } from 'react';

export interface Sending {
  readonly isBusy: boolean;
  /** Why the last attempt failed; undefined during the next one. */
  readonly error: unknown;
  /** Resolves with whether it succeeded; never rejects. */
  send(work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** Tracks one write of a form: whether it is in progress, and why it failed. */
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
