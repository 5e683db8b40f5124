import type { RouteContract } from '@flotilla/contract';

/** A screen, or a state of one, that a URL restores. */
export interface Screen {
  /** Also of its picture. */
  readonly name: string;
  readonly path: string;
  /** Of level one. */
  readonly heading: string | RegExp;
  /** Without it the screen has nothing to show. */
  readonly needs: RouteContract;
  /** The open tab. */
  readonly tab?: string | RegExp;
  /** The dialog or drawer that the URL opens. */
  readonly dialog?: string | RegExp;
}

/** As a tab is labelled. */
export function labelOf(tab: string): string {
  return `${tab[0]?.toUpperCase()}${tab.slice(1)}`;
}
