import type { MouseEvent } from 'react';

const CONTROLS = 'a, button, input, select, label';
const OPENING = '[data-opening] :is(a, button)';

/**
 * A click on a row is one on what its opening cell holds. Not one on something else that the row offers, nor the end of
 * selecting text; and with a key held down the link itself says what is meant.
 */
export function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget: row } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // What a cell opens, such as a menu, is not within the row.
  if (!(target instanceof Element) || !row.contains(target) || target.closest(CONTROLS)) return;
  if (window.getSelection()?.type === 'Range') return;
  row.querySelector<HTMLElement>(OPENING)?.click();
}
