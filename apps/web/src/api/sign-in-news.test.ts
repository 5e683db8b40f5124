import { toSignInFragment } from '@flotilla/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { beginProviderSignIn, forgetSignInNews, readSignInNews } from './sign-in-news.ts';

const stored = new Map<string, string>();
const location = { hash: '', pathname: '/web/services', search: '?q=a' };
const replaceState = vi.fn();

beforeEach(() => {
  stored.clear();
  replaceState.mockClear();
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { state: { key: 'a' }, replaceState });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const needed = { challenge: 'flc_x', expires_at: '2026-01-01T00:00:00Z', factors: [], enrol: true };
const FACTOR = toSignInFragment({ kind: 'factor', needed });
const ERROR = toSignInFragment({ kind: 'error', code: 'sign_in.no_access' });

it('believes nothing of a link that somebody sent, neither its challenge nor its error', () => {
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
  expect(readSignInNews(ERROR)).toEqual({ kind: 'stray' });
});

it('reads what the provider left where this tab went to it', () => {
  beginProviderSignIn();
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'factor', needed });
  expect(readSignInNews(ERROR)).toEqual({ kind: 'error', code: 'sign_in.no_access' });
});

it('takes a sign-in that began too long ago, or at no time, for none', () => {
  beginProviderSignIn();
  vi.setSystemTime(1_000_000 + 10 * 60_000);
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
  stored.set('sign-in-begun', 'soon');
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
});

it('is read once, and leaves nothing in the address', () => {
  beginProviderSignIn();
  location.hash = FACTOR;
  forgetSignInNews();
  expect(replaceState).toHaveBeenCalledWith({ key: 'a' }, '', '/web/services?q=a');
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
});

it('leaves every other fragment alone', () => {
  beginProviderSignIn();
  expect(readSignInNews('#line-4')).toBeUndefined();
  expect(readSignInNews('#sign-in=%7Bno')).toBeUndefined();
  location.hash = '#line-4';
  forgetSignInNews();
  expect(replaceState).not.toHaveBeenCalled();
});
