import type { SignInNews } from '@flotilla/contract';

const PREFIX = '#sign-in=';
const BEGUN = 'sign-in-begun';
/** How long the controller waits for a user at a provider. */
const BEGUN_MAX_MS = 10 * 60_000;

/** `stray`: the result of a sign-in that this tab did not start, which is ignored. */
export type FoundNews = SignInNews | { readonly kind: 'stray' };

/** Records that this tab goes to a provider. */
export function beginProviderSignIn(): void {
  sessionStorage.setItem(BEGUN, String(Date.now()));
}

/**
 * Reads the result of a provider's sign-in from the URL fragment (see the contract's directories); undefined for every other fragment.
 * Anyone can send a link with a fragment that holds the challenge of their own account: a victim who continued would work, and leave
 * secrets, in that account. So the fragment is read only if this tab went to a provider itself.
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

/** Deletes the result after it was read once, so neither the address nor the history keeps a challenge. */
export function forgetSignInNews(): void {
  sessionStorage.removeItem(BEGUN);
  if (location.hash.startsWith(PREFIX))
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}
