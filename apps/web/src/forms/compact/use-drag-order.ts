import { type DragEvent, useState } from 'react';

/** Props of the handle and of the line of each row that can be dragged to another place in the list. */
export interface DragOrder {
  readonly handle: (index: number) => {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent<HTMLElement>) => void;
    readonly onDragEnd: () => void;
  };
  readonly line: (index: number) => {
    readonly 'data-drop': true | undefined;
    readonly onDragOver: (event: DragEvent<HTMLElement>) => void;
    readonly onDrop: (event: DragEvent<HTMLElement>) => void;
  };
}

/** Rows of this list only: what is dragged from elsewhere is not taken. */
export function useDragOrder(move: (from: number, to: number) => void): DragOrder {
  const [drag, setDrag] = useState<{ readonly from: number; readonly over: number }>();
  return {
    handle: (index) => ({
      draggable: true,
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = 'move';
        const line = event.currentTarget.closest('[data-line]');
        if (line) event.dataTransfer.setDragImage(line, 0, 0);
        setDrag({ from: index, over: index });
      },
      onDragEnd: () => setDrag(undefined),
    }),
    line: (index) => ({
      'data-drop': (drag?.over === index && drag.from !== index) || undefined,
      onDragOver: (event) => {
        if (!drag) return;
        event.preventDefault();
        if (drag.over !== index) setDrag({ ...drag, over: index });
      },
      onDrop: (event) => {
        if (!drag) return;
        event.preventDefault();
        setDrag(undefined);
        if (drag.from !== index) move(drag.from, index);
      },
    }),
  };
}
