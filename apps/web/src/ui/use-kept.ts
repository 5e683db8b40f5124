import { useState } from 'react';

/** Returns the last defined value: for dialogs, which fade out after their subject is gone. */
export function useKept<T>(value: T | undefined): T | undefined {
  const [kept, setKept] = useState(value);
  if (value !== undefined && value !== kept) setKept(value);
  return value ?? kept;
}
