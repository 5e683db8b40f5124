import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Ref for an element that the URL fragment names: scrolls to it and focuses it on mount. */
export function useAnchor<T extends HTMLElement>(id: string) {
  const element = useRef<T>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== id) return;
    element.current?.scrollIntoView({ block: 'start' });
    element.current?.focus({ preventScroll: true });
  }, [hash, id]);
  return element;
}
