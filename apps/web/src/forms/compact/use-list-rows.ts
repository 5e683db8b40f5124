import { useForm } from '../form-context.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { joinPath } from '../model/path.ts';
import { type Rows, useRows } from './use-rows.ts';

export interface ListRows extends Rows {
  /** Replaces an item. Changes while the user is typing are one step of undo. */
  readonly write: (index: number, change: (item: Json | undefined) => JsonObject, typing: boolean) => void;
  readonly insert: (index: number, item: Json) => void;
  readonly remove: (index: number) => void;
  /** Moves an item and focuses the same cell of it. Returns whether there is such a place. */
  readonly move: (from: number, to: number, cell: string) => boolean;
}

interface List {
  /** Path of the list. */
  readonly at: string;
  readonly count: number;
  /** The cell that takes the focus when a row is new or another one is gone. */
  readonly mainCell: string;
}

/** Returns the rows of a list, one for each item, and the edits of its items. */
export function useListRows({ at, count, mainCell }: List): ListRows {
  const { state, readOnly } = useForm();
  const rows = useRows(count);
  const { focusCell } = rows;
  return {
    ...rows,
    write: (index, change, typing) => {
      const place = joinPath(at, index);
      state.set(place, change(state.get(place)), { typing });
    },
    insert: (index, item) => {
      state.insertItem(at, index, item);
      focusCell(index, mainCell);
    },
    remove: (index) => {
      state.removeItem(at, index);
      focusCell(Math.max(0, Math.min(index, count - 2)), mainCell);
    },
    move: (from, to, cell) => {
      if (readOnly || to < 0 || to >= count) return false;
      state.moveItem(at, from, to);
      focusCell(to, cell);
      return true;
    },
  };
}
