import { useCallback, useEffect, useRef, useState } from 'react';
import { holdsSecret } from './holds-secret.ts';

export interface Draft<T> {
  /** The unsaved input; undefined until the user types. */
  readonly value: T | undefined;
  /** Whether the draft was restored after a reload. */
  readonly isRestored: boolean;
  set(value: T): void;
  /** Deletes the draft after it was saved or discarded. */
  clear(): void;
}

const GATHER_MS = 300;

/**
 * Keeps what a user types through a reload and a sign-in, in the storage of this tab. `isSecret`, or as long as the
 * draft may hold a secret: kept in memory only.
 */
export function useDraft<T>(key: string, { isSecret = false }: { isSecret?: boolean } = {}): Draft<T> {
  const name = `draft ${key}`;
  const [kept] = useState(() => (isSecret ? undefined : read<T>(name)));
  const [value, setValue] = useState<T | undefined>(kept);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(value);

  const write = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (isSecret) return;
    const text = latest.current === undefined ? undefined : JSON.stringify(latest.current);
    if (text === undefined || holdsSecret(text)) sessionStorage.removeItem(name);
    else store(name, text);
  }, [name, isSecret]);

  // Stores the last keystrokes when the page is left.
  useEffect(() => {
    const onHide = () => timer.current !== undefined && write();
    window.addEventListener('pagehide', onHide);
    return () => {
      window.removeEventListener('pagehide', onHide);
      onHide();
    };
  }, [write]);

  const set = useCallback(
    (next: T | undefined) => {
      latest.current = next;
      setValue(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(write, GATHER_MS);
    },
    [write],
  );
  const clear = useCallback(() => {
    latest.current = undefined;
    setValue(undefined);
    write();
  }, [write]);
  return { value, isRestored: kept !== undefined && value !== undefined, set, clear };
}

/** Puts a draft where `useDraft` with the same key finds it: for a page that opens another one with an input. */
export function putDraft(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  if (!holdsSecret(text)) store(`draft ${key}`, text);
}

function read<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Stores the draft. A draft that is too big for the storage is kept in memory only. */
function store(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    sessionStorage.removeItem(name);
  }
}
