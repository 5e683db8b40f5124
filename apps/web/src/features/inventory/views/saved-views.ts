import type { UrlSearch } from '../../../app/url-state.ts';
import { TIME_NAMES } from '../time-window.ts';

export const VIEWS_MAX = 50;
export const VIEW_NAME_MAX = 64;

/** A named set of parameters of the URL. */
export interface SavedView {
  readonly name: string;
  readonly search: UrlSearch;
}

/** Parameters that belong to a moment, not to a view. */
const PASSING: ReadonlySet<string> = new Set([...TIME_NAMES, 'group', 'tab', 'event', 'live']);

export function toView(name: string, search: UrlSearch): SavedView {
  return { name, search: Object.fromEntries(Object.entries(search).filter(([key]) => !PASSING.has(key))) };
}

/** Adds a view, sorted by name. One with the same name is replaced. */
export function addView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
}

/** Reads what the browser has stored: another version, or a person, may have written anything. */
export function readViews(stored: unknown): readonly SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isView).slice(0, VIEWS_MAX);
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof search === 'object' &&
    search !== null &&
    Object.values(search).every((one) => [one].flat().every((text) => typeof text === 'string'))
  );
}
