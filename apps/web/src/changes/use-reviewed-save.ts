import { useState } from 'react';
import type { Conflict } from './conflict-dialog.tsx';
import { type ChangePlan, isStale } from './plan.ts';

/** The version that someone else saved in the meantime, and how it differs from the draft. */
interface Meeting<Theirs> {
  readonly theirs: Theirs;
  readonly conflict: Conflict;
}

interface Steps<Theirs> {
  /** Dry-runs the save. */
  readonly plan: () => Promise<ChangePlan>;
  /** Saves the draft. `close` closes the review. */
  readonly save: (close: () => void) => Promise<void>;
  /** Reads the version of someone else; undefined for a new record, which has none. */
  readonly meet?: () => Promise<Meeting<Theirs>>;
}

type Open<Theirs> =
  | { readonly step: 'review'; readonly plan: ChangePlan }
  | { readonly step: 'conflict'; readonly meeting: Meeting<Theirs> };

/**
 * Saves a draft: form -> review (the dry run succeeded) -> saved. If someone else saved in the meantime, the conflict replaces the review,
 * until the user resolves or closes it.
 */
export function useReviewedSave<Theirs = never>({ plan, save, meet }: Steps<Theirs>) {
  const [open, setOpen] = useState<Open<Theirs>>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const close = () => setOpen(undefined);
  const showConflict = async () => {
    if (meet) setOpen({ step: 'conflict', meeting: await meet() });
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      if (meet && isStale(failure)) await showConflict().catch(setError);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return {
    /** The plan to review; undefined while there is none. */
    plan: open?.step === 'review' ? open.plan : undefined,
    meeting: open?.step === 'conflict' ? open.meeting : undefined,
    /** Why the last attempt failed. An error of `save` is not included. */
    error,
    isBusy,
    close,
    clearError: () => setError(undefined),
    review: () => attempt(async () => setOpen({ step: 'review', plan: await plan() })),
    compare: () => attempt(showConflict),
    /** Rejects if nothing was saved, except for a conflict. */
    save: async () => {
      try {
        await save(close);
      } catch (failure) {
        if (!meet || !isStale(failure)) throw failure;
        await showConflict();
      }
    },
  };
}
