import type { ComponentType, ReactNode } from 'react';

/** Widths of a window from which a list has room for more columns. */
export type WindowPx = 1200 | 1440 | 1600;

/** A column of a list. URL and settings store its `id`. */
export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Field of the API's `sort` parameter; without one the column does not sort. */
  readonly sort?: string;
  /** Width in px, or a share (`2fr`) of the remaining space. */
  readonly width: number | `${number}fr`;
  readonly minWidth?: number;
  readonly align?: 'left' | 'right';
  /** Whether the column is also shown at phone width. */
  readonly isNarrow?: boolean;
  /** Keeps the column in view during horizontal scrolling; narrow on a phone, where it may take two lines. First column only. */
  readonly isPinned?: boolean;
  /** Hidden by default. */
  readonly isOptional?: boolean;
  /** Hidden by default in a narrower window, to avoid horizontal scrolling. */
  readonly fromPx?: WindowPx;
  /** A click anywhere on the row opens the link in its cells. */
  readonly isOpening?: boolean;
  /** Text for CSV; columns without it are omitted there. */
  readonly text?: (row: T) => string | number | null | undefined;
}

/** A filter that the URL stores under `name`; the API uses the same name. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** Without options any text is a valid value. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** Replaces the checkboxes or the text field: for times, numbers and many options. */
  readonly field?: ComponentType<FilterFieldProps>;
  /** The value as the chip shows it; by default the label of the option, or the value itself. */
  readonly describe?: (value: string) => string;
}

export interface FilterFieldProps {
  readonly label: string;
  readonly options: NonNullable<Filter['options']>;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const PINNED_PHONE_PX = 124;

/** Returns the track for `grid-template-columns`. */
export function toTrack({ width, minWidth = 0, isPinned }: Column<never>, isPhone: boolean): string {
  if (isPinned && isPhone) return `${PINNED_PHONE_PX}px`;
  return typeof width === 'number' ? `${width}px` : `minmax(${Math.max(minWidth, 60)}px, ${width})`;
}

/** Cycles through the sort orders: `name` -> `-name` -> unsorted -> `name`. */
export function nextSort(current: string | undefined, field: string): string | undefined {
  if (current === field) return `-${field}`;
  return current === `-${field}` ? undefined : field;
}
