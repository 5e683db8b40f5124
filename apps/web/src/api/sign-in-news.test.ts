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

it('a link from someone else is ignored, both its challenge and its error', () => {
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
  expect(readSignInNews(ERROR)).toEqual({ kind: 'stray' });
});

it('the result of a provider is read in the tab that went to it', () => {
  beginProviderSignIn();
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'factor', needed });
  expect(readSignInNews(ERROR)).toEqual({ kind: 'error', code: 'sign_in.no_access' });
});

it('a sign-in without a start time, or with one too long ago, is ignored', () => {
  beginProviderSignIn();
  vi.setSystemTime(1_000_000 + 10 * 60_000);
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
  stored.set('sign-in-begun', 'soon');
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
});

it('the result is read once and removed from the address', () => {
  beginProviderSignIn();
  location.hash = FACTOR;
  forgetSignInNews();
  expect(replaceState).toHaveBeenCalledWith({ key: 'a' }, '', '/web/services?q=a');
  expect(readSignInNews(FACTOR)).toEqual({ kind: 'stray' });
});

it('every other fragment stays unchanged', () => {
  beginProviderSignIn();
  expect(readSignInNews('#line-4')).toBeUndefined();
  expect(readSignInNews('#sign-in=%7Bno')).toBeUndefined();
  location.hash = '#line-4';
  forgetSignInNews();
  expect(replaceState).not.toHaveBeenCalled();
});
