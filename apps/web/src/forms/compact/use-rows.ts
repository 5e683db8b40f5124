import { type RefObject, useContext, useEffect, useRef, useState } from 'react';
import { FindingsContext } from '../form-context.ts';
import { formatPath, isWithin, parsePath } from '../model/path.ts';

/** Number of rows that an editor renders at once. */
const SHOWN_STEP = 100;
const CONTROLS = ':is(input, select, button):not([disabled])';

export interface Rows {
  readonly root: RefObject<HTMLDivElement | null>;
  /** Number of rendered rows. */
  readonly shown: number;
  readonly showMore: () => void;
  /** Focuses the cell after the next render, or another control of its row, or the button that adds a row. */
  readonly focusCell: (index: number, cell: string) => void;
}

/** Returns the shown part of the rows and the focus among their cells (`data-line`, `data-cell`). */
export function useRows(count: number): Rows {
  const root = useRef<HTMLDivElement>(null);
  const wanted = useRef<{ readonly index: number; readonly cell: string }>(undefined);
  const [limit, setLimit] = useState(SHOWN_STEP);
  useEffect(() => {
    if (!wanted.current) return;
    const { index, cell } = wanted.current;
    const line = `[data-line="${index}"]`;
    const places = [`${line} [data-cell="${cell}"] ${CONTROLS}`, `${line} ${CONTROLS}`, '[data-add]'];
    const target = places.map((place) => root.current?.querySelector<HTMLElement>(place)).find(Boolean);
    wanted.current = undefined;
    target?.focus();
  });
  return {
    root,
    shown: Math.min(count, limit),
    showMore: () => setLimit(limit + SHOWN_STEP),
    focusCell: (index, cell) => {
      wanted.current = { index, cell };
      if (index >= limit) setLimit(index + 1);
    },
  };
}

/** Returns the server's messages about each of the places. */
export function useMessages(): (at: string) => readonly string[] {
  const index = useContext(FindingsContext);
  return (at) =>
    index.count(at) === 0
      ? []
      : index.all.filter(({ path }) => isWithin(formatPath(parsePath(path)), at)).map(({ message }) => message);
}
