import type { SignInNews } from '@flotilla/contract';

const PREFIX = '#sign-in=';

/**
 * What a provider's sign-in left in the fragment of the address (see the contract's directories); undefined for every other
 * fragment. Anybody can send a link with one: it says what is asked next and nothing of who asks.
 */
export function readSignInNews(fragment: string): SignInNews | undefined {
  if (!fragment.startsWith(PREFIX)) return undefined;
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
