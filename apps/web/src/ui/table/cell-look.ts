import type { Column } from './columns.ts';
import classes from './table.module.css';

/** Style of the cells of a column and of its header. */
export function lookOf({ align, isPinned }: Pick<Column<never>, 'align' | 'isPinned'>): string {
  return [align === 'right' && classes.right, isPinned && classes.pinned].filter(Boolean).join(' ');
}
