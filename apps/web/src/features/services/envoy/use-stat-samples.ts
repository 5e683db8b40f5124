import type { EnvoyStat } from '@flotilla/contract';
import { useEffect, useRef, useState } from 'react';
import { deriveStatRows, type StatRow } from './stat-rates.ts';

/** Returns the rows of the newest answer with their rates since the one before. `atMs` is the time at which the answer arrived. */
export function useStatRows(stats: readonly EnvoyStat[], atMs: number): readonly StatRow[] {
  const newest = { atMs, stats };
  const last = useRef(newest);
  const [rows, setRows] = useState<readonly StatRow[]>(() => deriveStatRows(newest, undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is known by its time
  useEffect(() => {
    if (last.current.atMs === atMs) return;
    setRows(deriveStatRows(newest, last.current));
    last.current = newest;
  }, [atMs]);
  return rows;
}
