import { type RefObject, useEffect, useRef, useState } from 'react';

/** Whether the content of an element is wider than the element, so that people scroll it. */
export function useOverflow<Element extends HTMLElement>(): {
  readonly ref: RefObject<Element | null>;
  readonly isScrolled: boolean;
} {
  const ref = useRef<Element>(null);
  const [isScrolled, setScrolled] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setScrolled(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return { ref, isScrolled };
}
