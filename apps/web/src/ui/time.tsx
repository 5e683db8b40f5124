import { useSyncExternalStore } from 'react';
import { Hint } from './hint.tsx';
import { texts } from './texts.tsx';

const words = texts.time;

const TICK_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Notifies all times on the page from one timer. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Shows a relative time, and the exact one on hover and focus. */
export function Time({ at, empty = 'never' }: { at: string | null | undefined; empty?: string }) {
  useSyncExternalStore(subscribe, () => now);
  if (!at) return <span>{empty}</span>;
  return (
    <Hint label={() => formatExact(at)}>
      {(target) => (
        <time dateTime={at} {...target}>
          {formatAgo(Date.parse(at), Date.now())}
        </time>
      )}
    </Hint>
  );
}

/** Shows a duration since a moment, such as `56 s`, and the exact moment on hover and focus. */
export function Duration({ since, empty = '–' }: { since: string | null; empty?: string }) {
  useSyncExternalStore(subscribe, () => now);
  if (!since) return <span>{empty}</span>;
  return (
    <Hint label={() => formatExact(since)}>
      {(target) => (
        <time dateTime={since} {...target}>
          {formatDuration(Date.now() - Date.parse(since))}
        </time>
      )}
    </Hint>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' });

export function formatExact(at: string): string {
  return exact.format(new Date(at));
}

const STEPS = [
  [60, 's', 1],
  [3600, 'min', 60],
  [86_400, 'h', 3600],
  [86_400 * 60, 'd', 86_400],
] as const;

/** Formats `12 s ago`, `in 3 h`, and the date beyond two months. Both arguments are in ms since 1970. */
export function formatAgo(at: number, from: number): string {
  const seconds = Math.round((from - at) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 5) return words.justNow;
  for (const [below, unit, size] of STEPS) {
    if (distance >= below) continue;
    const text = `${Math.floor(distance / size)} ${unit}`;
    return seconds < 0 ? words.in(text) : words.ago(text);
  }
  return new Date(at).toISOString().slice(0, 10);
}

/** Formats `56 s`, `3 h`; below a second, `0 s`. */
function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [, unit, size] = STEPS.find(([below]) => seconds < below) ?? STEPS[3];
  return `${Math.floor(seconds / size)} ${unit}`;
}
