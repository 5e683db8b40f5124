import type { MouseEvent } from 'react';

const CONTROLS = 'a, button, input, select, label';
const OPENING = '[data-opening] :is(a, button)';

/**
 * A click on a row opens the link in its opening cell. Ignores clicks on other controls and text selection; with a
 * modifier key, the link itself decides.
 */
export function openRow(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget: row } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // Menus of a cell are rendered in a portal, outside the row.
  if (!(target instanceof Element) || !row.contains(target) || target.closest(CONTROLS)) return;
  if (window.getSelection()?.type === 'Range') return;
  row.querySelector<HTMLElement>(OPENING)?.click();
}
