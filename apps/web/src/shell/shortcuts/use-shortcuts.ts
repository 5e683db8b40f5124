import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useCan, useProjectIfAny } from '../../app/project.tsx';
import { GO_KEYS, isOpenable } from '../destinations.ts';
import { KeySequence, takesLetters } from './key-sequence.ts';

/** The search input of a list. `/` moves the focus there. */
const PAGE_SEARCH = '#main [role="search"] input';

interface ShortcutOptions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

/** Handles `/`, `?` and `g` with a letter on the page. Fields, editors, menus and dialogs keep their keys. */
export function useShortcuts({ openPalette, openHelp }: ShortcutOptions): void {
  const navigate = useNavigate();
  const can = useCan();
  const project = useProjectIfAny()?.name;
  const act = (keys: string): boolean => {
    if (keys === '?') openHelp();
    else if (keys === '/') focusSearch(openPalette);
    else {
      const place = GO_KEYS.get(keys);
      if (!place || !isOpenable(place, { can, project })) return false;
      void navigate({ to: String(place.to), params: { project, ...place.params }, search: {} });
    }
    return true;
  };
  const newest = useRef(act);
  newest.current = act;

  useEffect(() => {
    const sequence = new KeySequence();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return;
      if (event.target instanceof HTMLElement && takesLetters(event.target)) return;
      const keys = sequence.press(event.key, event.timeStamp);
      if (keys !== undefined && newest.current(keys)) event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function focusSearch(openPalette: () => void): void {
  const input = document.querySelector<HTMLInputElement>(PAGE_SEARCH);
  if (!input) {
    openPalette();
    return;
  }
  input.focus();
  input.select();
}
