import type { RouteContract } from '@flotilla/contract';

/** A screen, or a state of one, that a URL restores. */
export interface Screen {
  /** Also the name of its picture. */
  readonly name: string;
  readonly path: string;
  /** The heading of level one. */
  readonly heading: string | RegExp;
  /** The route without which the screen has nothing to show. */
  readonly needs: RouteContract;
  readonly tab?: string | RegExp;
  /** The dialog or drawer that the URL opens. */
  readonly dialog?: string | RegExp;
}

/** Derives the label of a tab. */
export function labelOf(tab: string): string {
  return `${tab[0]?.toUpperCase()}${tab.slice(1)}`;
}
