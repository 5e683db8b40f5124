import { isWithin, joinPath, parsePath } from './path.ts';

/** A value that is stored and never shown. */
export interface PrivatePart {
  readonly path: string;
  readonly set: boolean;
  readonly updated_at: string;
}

export class PrivatePlaces {
  readonly #at: ReadonlyMap<string, PrivatePart>;

  constructor(parts: readonly PrivatePart[]) {
    this.#at = new Map(parts.filter(({ set }) => set).map((part) => [canonical(part.path), part]));
  }

  at(path: string): PrivatePart | undefined {
    return this.#at.get(path);
  }

  /**
   * Whether stored values belong to the list's items by position: moving an item would detach its values. `from`: considers only items at
   * or after it.
   */
  isTied(listPath: string, from = 0): boolean {
    const depth = parsePath(listPath).length;
    for (const path of this.#at.keys()) {
      const index = isWithin(path, listPath) ? parsePath(path)[depth] : undefined;
      if (typeof index === 'number' && index >= from) return true;
    }
    return false;
  }
}

function canonical(path: string): string {
  let text = '';
  for (const key of parsePath(path)) text = joinPath(text, key);
  return text;
}
