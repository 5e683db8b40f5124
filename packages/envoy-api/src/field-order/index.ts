import { CLUSTER_GUIDE } from './clusters.ts';
import { FILTER_GUIDE } from './filters.ts';
import type { FieldGuide } from './guide.ts';
import { HTTP_GUIDE } from './http.ts';
import { LISTENER_GUIDE } from './listeners.ts';
import { ROUTE_GUIDE } from './routes.ts';

const GUIDE: FieldGuide = { ...LISTENER_GUIDE, ...HTTP_GUIDE, ...ROUTE_GUIDE, ...CLUSTER_GUIDE, ...FILTER_GUIDE };

/** Field -> one sentence, the most used first; undefined for messages without a guide. */
export function guideOf(message: string): Readonly<Record<string, string>> | undefined {
  return Object.hasOwn(GUIDE, message) ? GUIDE[message] : undefined;
}

export function guidedMessages(): readonly string[] {
  return Object.keys(GUIDE);
}
