import { useCallback, useEffect, useRef, useState } from 'react';
import { holdsSecret } from './holds-secret.ts';

export interface Draft<T> {
  /** What was typed; undefined as long as nothing was. */
  readonly value: T | undefined;
  /** It was typed before this page was loaded. */
  readonly isRestored: boolean;
  set(value: T): void;
  /** Saved or given up. */
  clear(): void;
}

const GATHER_MS = 300;

/**
 * What somebody types, kept through a reload of the page and a sign-in in between: in this tab's storage, gone with the tab.
 * `isSecret`, or as long as it may hold a secret: kept in memory alone.
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

  // A page that is left with the last letters not stored yet.
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

function read<T>(name: string): T | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** A draft that is too big for the storage lives in memory alone. */
function store(name: string, text: string): void {
  try {
    sessionStorage.setItem(name, text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    sessionStorage.removeItem(name);
  }
}
