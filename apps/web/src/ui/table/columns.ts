import type { ReactNode } from 'react';

/** A column of a list. `id` is what URL and settings remember. */
export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Field of the API's `sort` parameter; without one the column does not sort. */
  readonly sort?: string;
  /** Width in px, or a share (`2fr`) of what is left. */
  readonly width: number | `${number}fr`;
  readonly minWidth?: number;
  readonly align?: 'left' | 'right';
  /** Also shown at phone width. */
  readonly isNarrow?: boolean;
  /** Stays in view while the others are scrolled sideways; narrow on a phone, where it may take two lines. First column only. */
  readonly isPinned?: boolean;
  /** Hidden until chosen. */
  readonly isOptional?: boolean;
  /** Hidden until chosen in a window that is narrower than 1200 px, so that the others need no scrolling sideways. */
  readonly isWide?: boolean;
  /** What its cells lead to opens with a click anywhere on the row. */
  readonly isOpening?: boolean;
  /** For CSV; without it the column is left out there. */
  readonly text?: (row: T) => string | number | null | undefined;
}

/** A filter that the URL remembers under `name`; the API takes the same name. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Without options any text may be typed. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

const PINNED_PHONE_PX = 124;

/** Of `grid-template-columns`. */
export function toTrack({ width, minWidth = 0, isPinned }: Column<never>, isPhone: boolean): string {
  if (isPinned && isPhone) return `${PINNED_PHONE_PX}px`;
  return typeof width === 'number' ? `${width}px` : `minmax(${Math.max(minWidth, 60)}px, ${width})`;
}

/** `name` -> `-name` -> unsorted -> `name`. */
export function nextSort(current: string | undefined, field: string): string | undefined {
  if (current === field) return `-${field}`;
  return current === `-${field}` ? undefined : field;
}
