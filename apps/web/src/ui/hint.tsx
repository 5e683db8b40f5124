import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';

const OPEN_AFTER_MS = 300;

/** Props for the element that the hint describes. */
export interface HintTarget {
  readonly ref: (element: HTMLElement | null) => void;
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

export interface HintProps {
  readonly label: () => ReactNode;
  readonly children: (target: HintTarget) => ReactNode;
}

/** A tooltip that costs almost nothing until its target is hovered or focused: lists have hundreds. */
export function Hint({ label, children }: HintProps) {
  const element = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** undefined: never shown. */
  const [isOpen, setOpen] = useState<boolean>();
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (open: boolean, afterMs = 0) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(open), afterMs);
  };
  const target: HintTarget = {
    ref: (node) => {
      element.current = node;
    },
    onPointerEnter: () => change(true, OPEN_AFTER_MS),
    onPointerLeave: () => change(false),
    onFocus: () => change(true),
    onBlur: () => change(false),
  };
  return (
    <>
      {children(target)}
      {isOpen !== undefined && <Tooltip label={isOpen ? label() : ''} opened={isOpen} target={element} />}
    </>
  );
}
