import type { Column } from './columns.ts';
import classes from './table.module.css';

/** Of the cells of a column and of its head. */
export function lookOf({ align, isPinned }: Pick<Column<never>, 'align' | 'isPinned'>): string {
  return [align === 'right' && classes.right, isPinned && classes.pinned].filter(Boolean).join(' ');
}
