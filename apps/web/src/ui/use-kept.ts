import { useState } from 'react';

/** The last value that was there: for dialogs, which fade out after what they were about is gone. */
export function useKept<T>(value: T | undefined): T | undefined {
  const [kept, setKept] = useState(value);
  if (value !== undefined && value !== kept) setKept(value);
  return value ?? kept;
}
