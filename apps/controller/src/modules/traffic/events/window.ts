import { fail, TRAFFIC_WINDOW_DEFAULT_MS, TRAFFIC_WINDOW_MAX_MS } from '@flotilla/contract';

const DAY_MS = 86_400_000;

/** In milliseconds; `to` is excluded. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * Throws request.invalid if the window ends before it starts, starts before 1970, or is longer than `maxMs`. `because` says why it may not
 * be longer.
 */
export function parseWindow(
  query: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
  { maxMs = TRAFFIC_WINDOW_MAX_MS, because = 'single requests are not kept longer' } = {},
): Window {
  const to = query.to === undefined ? now.getTime() : Date.parse(query.to);
  const from = query.from === undefined ? to - TRAFFIC_WINDOW_DEFAULT_MS : Date.parse(query.from);
  if (from < 0) throw refuseField('from', 'is before 1970');
  if (from >= to) throw refuseField('to', 'must be later than from');
  if (to - from > maxMs) {
    throw refuseField('from', `must not be more than ${maxMs / DAY_MS} days before to: ${because}`);
  }
  return { from, to };
}

export function refuseField(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path} ${message}` }, { details: [{ path, rule: 'range', message }] });
}
