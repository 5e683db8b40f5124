import type { SignInNews } from '@flotilla/contract';

const PREFIX = '#sign-in=';
const BEGUN = 'sign-in-begun';
/** As long as the controller waits for who went to a provider. */
const BEGUN_MAX_MS = 10 * 60_000;

/** `stray`: news of a sign-in that did not begin in this tab, of which nothing is believed. */
export type FoundNews = SignInNews | { readonly kind: 'stray' };

/** This tab goes to a provider. */
export function beginProviderSignIn(): void {
  sessionStorage.setItem(BEGUN, String(Date.now()));
}

/**
 * What a provider's sign-in left in the fragment of the address (see the contract's directories); undefined for every other
 * fragment. Anybody can send a link with one, and with the challenge of an account of theirs: whoever went on with it would
 * work, and leave secrets, in an account of somebody else. So it is read only where this tab went to a provider itself.
 */
export function readSignInNews(fragment: string): FoundNews | undefined {
  if (!fragment.startsWith(PREFIX)) return undefined;
  const sinceMs = Date.now() - Number(sessionStorage.getItem(BEGUN) ?? Number.NaN);
  if (!(sinceMs >= 0 && sinceMs < BEGUN_MAX_MS)) return { kind: 'stray' };
  try {
    const news = JSON.parse(decodeURIComponent(fragment.slice(PREFIX.length))) as Partial<SignInNews> | null;
    if (news?.kind === 'error') return typeof news.code === 'string' ? { kind: 'error', code: news.code } : undefined;
    if (news?.kind !== 'factor') return undefined;
    const { needed } = news;
    const isNeeded =
      typeof needed?.challenge === 'string' && Array.isArray(needed.factors) && typeof needed.enrol === 'boolean';
    return isNeeded ? { kind: 'factor', needed } : undefined;
  } catch {
    return undefined;
  }
}

/** News are read once: neither the address nor the history keeps a challenge. */
export function forgetSignInNews(): void {
  sessionStorage.removeItem(BEGUN);
  if (location.hash.startsWith(PREFIX))
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}
