import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Search parameters are plain text, one or many: links stay readable, and anything in them is only a filter. */
export type UrlSearch = Readonly<Record<string, string | readonly string[] | undefined>>;

export function parseSearch(text: string): UrlSearch {
  const search = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    // A link may name anything; this would change what all objects inherit from within the page's own.
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
  /** The one value of a parameter, the first of many. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  /** Undefined or empty removes a parameter. `push` makes a step that the back button undoes; else the step is replaced. */
  set(changes: Readonly<Record<string, string | readonly string[] | undefined>>, how?: 'push' | 'replace'): void;
}

/** State of a page that its URL restores: filters, sorting, tab, selected row. */
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
