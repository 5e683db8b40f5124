import type { KeyboardEvent } from 'react';

interface RowKeys {
  /** What holds the rows; each has its `data-index`. */
  readonly frame: HTMLElement | null;
  readonly rowCount: number;
  /** Draws a row that may not be there yet. */
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
 * Up and down go to the same place of another row, left and right to what else the row offers. Enter follows the row's link,
 * Space selects where rows can be selected. A list of choices is opened with Enter or Space: an arrow changes none of them.
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

/** Enter opens and Space selects, whichever of the two the focus is on. */
function findOther(key: string, row: HTMLElement, target: HTMLElement): HTMLElement | null {
  const box = row.querySelector<HTMLElement>('input[type="checkbox"]');
  if (key === 'Enter' && box && target === box) return row.querySelector('a');
  return key === ' ' && target.matches('a') ? box : null;
}

/** Where a browser cannot say it, the arrows are the browser's. */
function isOpen(select: HTMLSelectElement): boolean {
  return !CSS.supports('selector(:open)') || select.matches(':open');
}
