import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Search parameters are plain text, one or many: links stay readable, and values are only filters. */
export type UrlSearch = Readonly<Record<string, string | readonly string[] | undefined>>;

export function parseSearch(text: string): UrlSearch {
  const search = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    // A link may contain any name; this one would change the prototype of the object.
    if (name === '__proto__') continue;
    const before = search.get(name);
    search.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(search);
}

export function formatSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === '') continue;
    for (const one of [value].flat()) params.append(name, String(one));
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

export interface UrlState {
  /** Returns the first value of a parameter. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  /** Changes parameters; undefined or empty removes one. `push` adds a history entry; otherwise the current one is replaced. */
  set(changes: Readonly<Record<string, string | readonly string[] | undefined>>, how?: 'push' | 'replace'): void;
}

/** Page state that its URL restores: filters, sorting, tab, selected row. */
export function useUrlState(): UrlState {
  const search = useSearch({ strict: false }) as UrlSearch;
  const navigate = useNavigate();
  const set = useCallback<UrlState['set']>(
    (changes, how = 'replace') => {
      void navigate({
        to: '.',
        search: (before: UrlSearch) => ({ ...before, ...changes }),
        replace: how === 'replace',
        resetScroll: false,
      });
    },
    [navigate],
  );
  return {
    get: (name) => [search[name]].flat()[0],
    all: (name) => [search[name] ?? []].flat(),
    set,
  };
}
