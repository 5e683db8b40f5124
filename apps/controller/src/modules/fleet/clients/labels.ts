import { type ClientLabel, findLabelProblem, LABELS_MAX, type LabelOrigin } from '@flotilla/contract';
import type { StoredOrigin } from './tables.ts';

/** The labels of a client as they are stored. */
export interface StoredLabels {
  readonly labels: Readonly<Record<string, string>>;
  readonly label_origins: Readonly<Record<string, StoredOrigin>>;
}

/**
 * The labels of a new client. Those of its token count more than those of the host, because an administrator has chosen them.
 * Labels of the host that are not valid, or too many, are left out.
 */
export function deriveFirstLabels(
  { token, host }: Readonly<Record<'token' | 'host', Readonly<Record<string, string>>>>,
  now: Date,
): StoredLabels {
  const given = new Map<string, { readonly value: string; readonly origin: LabelOrigin }>();
  for (const [key, value] of Object.entries(token)) given.set(key, { value, origin: 'token' });
  for (const [key, value] of Object.entries(host)) {
    if (given.size >= LABELS_MAX) break;
    if (given.has(key) || findLabelProblem(key, value) !== undefined) continue;
    given.set(key, { value, origin: 'host' });
  }
  const all = [...given];
  return {
    labels: Object.fromEntries(all.map(([key, { value }]) => [key, value])),
    label_origins: Object.fromEntries(
      all.map(([key, { origin }]) => [key, { origin, set_at: now.toISOString(), set_by: null }]),
    ),
  };
}

/** Sets and, with null, removes labels. A label that keeps its value keeps its origin. */
export function changeLabels(
  before: StoredLabels,
  changes: Readonly<Record<string, string | null>>,
  { by, now }: { readonly by: string; readonly now: Date },
): StoredLabels {
  const labels = new Map(Object.entries(before.labels));
  const origins = new Map(Object.entries(before.label_origins));
  for (const [key, value] of Object.entries(changes)) {
    if (labels.get(key) === value) continue;
    labels.delete(key);
    origins.delete(key);
    if (value === null) continue;
    labels.set(key, value);
    origins.set(key, { origin: 'operator', set_at: now.toISOString(), set_by: by });
  }
  return { labels: Object.fromEntries(labels), label_origins: Object.fromEntries(origins) };
}

export function toLabelViews({ labels, label_origins: origins }: StoredLabels): ClientLabel[] {
  return Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => {
      const origin = Object.hasOwn(origins, key) ? origins[key] : undefined;
      return origin ? [{ key, value, ...origin }] : [];
    });
}
