import { useCallback, useEffect, useRef, useState } from 'react';

const PAUSE_MS = 250;

export interface DraftText {
  readonly text: string;
  readonly set: (text: string) => void;
  /** Commits the input at once: on blur or Enter. */
  readonly flush: () => void;
}

/** Delays the commit of input until a pause, because each commit parses and writes the whole document. */
export function useDraftText(value: string, commit: (text: string) => void): DraftText {
  const [draft, setDraft] = useState<string>();
  const pending = useRef<{ text: string; timer: ReturnType<typeof setTimeout> }>(undefined);
  const latest = useRef(commit);
  latest.current = commit;

  const hand = useCallback(() => {
    if (!pending.current) return;
    const { text, timer } = pending.current;
    clearTimeout(timer);
    pending.current = undefined;
    latest.current(text);
  }, []);
  useEffect(() => hand, [hand]);
  return {
    text: draft ?? value,
    set: (text) => {
      setDraft(text);
      clearTimeout(pending.current?.timer);
      pending.current = { text, timer: setTimeout(hand, PAUSE_MS) };
    },
    flush: () => {
      hand();
      setDraft(undefined);
    },
  };
}
