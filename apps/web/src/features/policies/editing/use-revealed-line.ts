import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import type { RevealedLine } from '../../../editor/index.ts';
import { lineOfPlace } from '../form/line-of-place.ts';
import { placeOfPath } from '../form/place.ts';
import type { PlacedError } from './policy-errors.ts';

/**
 * Keeps the text at the part that is open in the form, and vice versa. `?line=` names a line, `?at=` a part. `frame` is the element around
 * the text.
 */
export function useRevealedLine(text: string, frame: RefObject<HTMLElement | null>) {
  const url = useUrlState();
  const line = Number(url.get('line')) || undefined;
  const at = url.get('at');
  const [revealed, reveal] = useState<RevealedLine>();
  useEffect(() => {
    if (line !== undefined) reveal({ line, takesCursor: true });
  }, [line]);
  // Opening a part in the form scrolls the text to it.
  const opened = useRef<string>(undefined);
  const findLine = useEffectEvent((place: string) => lineOfPlace(text, place));
  useEffect(() => {
    const isNews = at !== opened.current;
    opened.current = at;
    const target = at === undefined || !isNews || line !== undefined ? undefined : findLine(at);
    if (target !== undefined) reveal({ line: target, takesCursor: false });
  }, [at, line]);
  return {
    revealed,
    /** Opens the part of the cursor in the form. */
    follow(path: string) {
      const place = placeOfPath(path);
      if (place === undefined || place === at || !frame.current?.contains(document.activeElement)) return;
      opened.current = place;
      url.set({ at: place });
    },
    /** Shows the place of an error in both. */
    goTo({ line: target, path }: PlacedError) {
      const place = placeOfPath(path);
      url.set({ at: place });
      if (target === undefined) return;
      // Scrolls to the exact line, not to the beginning of its part.
      opened.current = place;
      reveal({ line: target, takesCursor: true });
    },
  };
}
