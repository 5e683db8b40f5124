import { getAt, moveItem, removeAt, renameKey, setAt } from './document.ts';
import { History } from './history.ts';
import { isList, isObject, type Json } from './json.ts';
import { OneofMemory } from './oneof-memory.ts';
import { isWithin, joinPath, listAncestors, movePath, parsePath } from './path.ts';

const NO_FIELDS: ReadonlySet<string> = new Set();

interface Edit {
  /** Rapid changes of the same place are one undo step. */
  readonly typing?: boolean;
}

/**
 * State of an open form: the last document, open parts, requested fields, and undo history. Paths are strings, so that components compare
 * them by value. Accepts a document from its owner and recognises its own. Changes before the next render are applied on top of each other.
 */
export class FormState {
  readonly memory = new OneofMemory();
  readonly #history = new History<Json>();
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #document: Json;
  /** The last document from the owner. While it is the same, the owner has not rendered the latest change yet. */
  #given: Json;
  #onChange: (document: Json) => void = () => {};
  #open = new Map<string, boolean>();
  #asked = new Map<string, ReadonlySet<string>>();
  #full = new Map<string, boolean>();
  #focus: string | undefined;
  #claimed = -1;

  constructor(document: Json, now: () => number = Date.now) {
    this.#document = document;
    this.#given = document;
    this.#now = now;
  }

  get document(): Json {
    return this.#document;
  }

  bind(document: Json, onChange: (document: Json) => void): void {
    this.#onChange = onChange;
    if (document === this.#given) return;
    this.#given = document;
    if (document === this.#document) return;
    this.#history.record(this.#document, { place: undefined, at: this.#now() });
    this.#document = document;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(path: string): Json | undefined {
    return getAt(this.#document, parsePath(path));
  }

  set(path: string, value: Json, edit: Edit = {}): void {
    this.#apply(setAt(this.#document, parsePath(path), value), edit.typing ? path : undefined);
  }

  /** Removes the place from the document. */
  remove(path: string, edit: Edit = {}): void {
    this.#apply(removeAt(this.#document, parsePath(path)), edit.typing ? path : undefined);
  }

  rename(mapPath: string, from: string, to: string): void {
    const map = this.get(mapPath);
    if (!isObject(map)) return;
    this.#movePlaces((path) => movePath(path, joinPath(mapPath, from), joinPath(mapPath, to)));
    this.#apply(setAt(this.#document, parsePath(mapPath), renameKey(map, from, to)), undefined);
  }

  /** Inserts an item. The open state of the items after it moves with them. */
  insertItem(listPath: string, index: number, value: Json): void {
    const list = this.get(listPath);
    const items = isList(list) ? list : [];
    this.#moveItems(listPath, (at) => (at >= index ? at + 1 : at));
    this.#apply(setAt(this.#document, parsePath(listPath), items.toSpliced(index, 0, value)), undefined);
  }

  removeItem(listPath: string, index: number): void {
    this.#moveItems(listPath, (at) => (at === index ? undefined : at > index ? at - 1 : at));
    this.#apply(removeAt(this.#document, [...parsePath(listPath), index]), undefined);
  }

  moveItem(listPath: string, from: number, to: number): void {
    const list = this.get(listPath);
    if (!isList(list) || to < 0 || to >= list.length) return;
    this.#moveItems(listPath, (at) => {
      if (at === from) return to;
      if (from < to) return at > from && at <= to ? at - 1 : at;
      return at >= to && at < from ? at + 1 : at;
    });
    this.#apply(setAt(this.#document, parsePath(listPath), moveItem(list, from, to)), undefined);
  }

  /** Removes `leave` from the document and adds `enter`, with its remembered value or else `fallback`. */
  switchArm(
    place: string,
    leave: { readonly field: string; readonly key: string } | undefined,
    enter: { readonly field: string; readonly fallback: Json | undefined },
  ): void {
    let document = this.#document;
    if (leave) {
      const path = [...parsePath(place), leave.key];
      const value = getAt(document, path);
      if (value !== undefined) this.memory.keep(place, leave.field, value);
      document = removeAt(document, path);
      this.#forget(place, leave.field);
    }
    const value = this.memory.recall(place, enter.field) ?? enter.fallback;
    if (value === undefined) this.ask(place, enter.field);
    else document = setAt(document, [...parsePath(place), enter.field], value);
    this.#apply(document, undefined);
  }

  undo(): boolean {
    return this.#restore(this.#history.undo(this.#document));
  }

  redo(): boolean {
    return this.#restore(this.#history.redo(this.#document));
  }

  isOpen(path: string): boolean {
    return this.#open.get(path) ?? false;
  }

  setOpen(path: string, open: boolean): void {
    if (this.isOpen(path) === open) return;
    this.#open.set(path, open);
    this.#emit();
  }

  /** Whether the place shows all fields although it has a compact editor. */
  isFull(path: string): boolean {
    return this.#full.get(path) ?? false;
  }

  setFull(path: string, full: boolean): void {
    if (this.isFull(path) === full) return;
    this.#full.set(path, full);
    this.#emit();
  }

  /** Fields of the message at the path that stay visible although they are not set. */
  asked(path: string): ReadonlySet<string> {
    return this.#asked.get(path) ?? NO_FIELDS;
  }

  ask(path: string, field: string): void {
    if (this.asked(path).has(field)) return;
    this.#asked.set(path, new Set(this.asked(path)).add(field));
    this.#emit();
  }

  unask(path: string, field: string): void {
    if (!this.asked(path).has(field)) return;
    this.#forget(path, field);
    this.#emit();
  }

  isFocusWithin(path: string): boolean {
    return this.#focus !== undefined && isWithin(this.#focus, path);
  }

  /** Whether the requested place is a part of the path, not the path itself. */
  isFocusInside(path: string): boolean {
    return this.#focus !== path && this.isFocusWithin(path);
  }

  /** Returns the index of the list item that contains the requested path. */
  focusIndex(listPath: string): number | undefined {
    if (this.#focus === undefined || !isWithin(this.#focus, listPath)) return undefined;
    const index = parsePath(this.#focus)[parsePath(listPath).length];
    return typeof index === 'number' ? index : undefined;
  }

  /** Whether this path may take the focus now: it is the requested one, or the nearest so far. */
  claimFocus(path: string): boolean {
    if (!this.isFocusWithin(path) || path.length <= this.#claimed) return false;
    this.#claimed = path.length;
    if (path === this.#focus) this.endFocus();
    return true;
  }

  /** Opens everything above the path and requests the focus. The deepest part of the form around it takes the focus, once. */
  requestFocus(path: string, { open = true }: { readonly open?: boolean } = {}): void {
    for (const ancestor of listAncestors(path)) {
      if (ancestor !== path) this.#open.set(ancestor, true);
    }
    if (open) this.#open.set(path, true);
    const keys = parsePath(path);
    for (const [index, key] of keys.entries()) {
      if (typeof key !== 'string') continue;
      const parent = listAncestors(path)[index] ?? '';
      this.#asked.set(parent, new Set(this.asked(parent)).add(key));
    }
    this.#focus = path;
    this.#claimed = -1;
    this.#emit();
  }

  endFocus(): void {
    if (this.#focus === undefined) return;
    this.#focus = undefined;
    this.#emit();
  }

  #forget(path: string, field: string): void {
    const rest = new Set(this.asked(path));
    rest.delete(field);
    this.#asked.set(path, rest);
  }

  #apply(document: Json, place: string | undefined): void {
    if (document === this.#document) return;
    this.#history.record(this.#document, { place, at: this.#now() });
    this.#document = document;
    this.#onChange(document);
    this.#emit();
  }

  #restore(document: Json | undefined): boolean {
    if (document === undefined) return false;
    this.#document = document;
    this.#onChange(document);
    this.#emit();
    return true;
  }

  #moveItems(listPath: string, moved: (index: number) => number | undefined): void {
    const depth = parsePath(listPath).length;
    this.#movePlaces((path) => {
      if (path === listPath || !isWithin(path, listPath)) return path;
      const index = parsePath(path)[depth];
      if (typeof index !== 'number') return path;
      const next = moved(index);
      return next === undefined ? undefined : movePath(path, joinPath(listPath, index), joinPath(listPath, next));
    }, true);
  }

  /** `dropLost`: deletes the state of paths without a new path; otherwise it stays. */
  #movePlaces(moved: (path: string) => string | undefined, dropLost = false): void {
    const move = <V>(places: Map<string, V>) =>
      new Map(
        [...places].flatMap(([path, value]): [string, V][] => {
          const next = moved(path) ?? (dropLost ? undefined : path);
          return next === undefined ? [] : [[next, value]];
        }),
      );
    this.#open = move(this.#open);
    this.#asked = move(this.#asked);
    this.#full = move(this.#full);
  }

  #emit(): void {
    for (const listener of this.#listeners) listener();
  }
}
