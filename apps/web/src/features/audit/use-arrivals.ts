import { type RefObject, useRef, useState } from 'react';
import { type HeldRows, holdBack } from './arrivals.ts';

export interface Arrivals<T> extends HeldRows<T> {
  /** Ref of the element around the table. */
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Called while the frame scrolls: `top` in pixels from the start of the list. */
  readonly onScroll: (top: number) => void;
  /** Shows the waiting rows, from the top. */
  readonly showNew: () => void;
}

/**
 * Holds newer rows back while the user reads further down. `isLive`: new rows come first, so they would push others.
 */
export function useArrivals<T extends { readonly id: string }>(rows: readonly T[], isLive: boolean): Arrivals<T> {
  const frame = useRef<HTMLDivElement>(null);
  const [anchor, setAnchor] = useState<string>();
  const held = holdBack(rows, isLive ? anchor : undefined);
  const first = held.rows[0]?.id;
  const onScroll = (top: number) => {
    if (top <= 0) setAnchor(undefined);
    else if (anchor === undefined) setAnchor(first);
  };
  const showNew = () => {
    setAnchor(undefined);
    frame.current?.querySelector('[role="group"][aria-label^="List of"]')?.scrollTo({ top: 0 });
  };
  return { ...held, frame, onScroll, showNew };
}
