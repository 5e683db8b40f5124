import type { KeyboardEvent } from 'react';

interface RowKeys {
  /** The element that contains the rows; each has its `data-index`. */
  readonly frame: HTMLElement | null;
  readonly rowCount: number;
  /** Renders a row that may not exist yet. */
  readonly reveal: (index: number) => void;
}

const CONTROLS = 'a, button, input, select';
const STEPS: Readonly<Record<string, readonly [rows: number, cells: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/**
 * Up and down move to the same control of another row, left and right to other controls of the row. Enter follows the
 * row's link, Space selects rows if possible. A select opens with Enter or Space: arrows do not change it.
 */
export function pressRowKey(event: KeyboardEvent<HTMLElement>, { frame, rowCount, reveal }: RowKeys): void {
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>('[data-index]');
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
  if (target instanceof HTMLSelectElement) {
    if (isOpen(target)) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      target.showPicker();
      return;
    }
  }
  const other = findOther(event.key, row, target);
  if (other) {
    event.preventDefault();
    other.click();
    return;
  }
  const [down, right] = STEPS[event.key] ?? [0, 0];
  if (down === 0 && right === 0) return;
  event.preventDefault();
  if (right !== 0) {
    const controls = [...row.querySelectorAll<HTMLElement>(CONTROLS)];
    controls[controls.indexOf(target) + right]?.focus();
    return;
  }
  const column = [...row.children].findIndex((cell) => cell.contains(target));
  const index = Math.max(0, Math.min(rowCount - 1, Number(row.dataset.index) + down));
  reveal(index);
  requestAnimationFrame(() => {
    const next = frame?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    (
      next?.children[column]?.querySelector<HTMLElement>(CONTROLS) ?? next?.querySelector<HTMLElement>(CONTROLS)
    )?.focus();
  });
}

/** Finds the control for the other key: Enter opens the row and Space selects it, whichever control has the focus. */
function findOther(key: string, row: HTMLElement, target: HTMLElement): HTMLElement | null {
  const box = row.querySelector<HTMLElement>('input[type="checkbox"]');
  if (key === 'Enter' && box && target === box) return row.querySelector('a');
  return key === ' ' && target.matches('a') ? box : null;
}

/** Whether the options of the select are visible. In a browser that cannot report this, arrow keys keep their default behaviour. */
function isOpen(select: HTMLSelectElement): boolean {
  return !CSS.supports('selector(:open)') || select.matches(':open');
}
