import { findLabelProblem, LABELS_MAX, parseLabel } from '@flotilla/contract';
import { texts } from './label-texts.ts';

type Labels = Readonly<Record<string, string>>;

/** Parses one `key=value` per line. Empty lines do not count. */
export function parseLabelLines(text: string): { readonly labels: Labels } | { readonly problem: string } {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const { key, value } = parseLabel(line);
    if (value === undefined) return { problem: texts.lines.notLabel(line) };
    const problem = findLabelProblem(key, value);
    if (problem !== undefined) return { problem: texts.lines.notValid(problem) };
    if (labels.has(key)) return { problem: texts.lines.twice(key) };
    labels.set(key, value);
  }
  if (labels.size > LABELS_MAX) return { problem: texts.lines.tooMany(LABELS_MAX, labels.size) };
  return { labels: Object.fromEntries(labels) };
}

export function formatLabelLines(labels: readonly { readonly key: string; readonly value: string }[]): string {
  return labels.map(({ key, value }) => `${key}=${value}`).join('\n');
}

/** Derives what an edit changes, so that labels which others change meanwhile stay. Null removes a label. */
export function deriveLabelChanges(before: Labels, after: Labels): Record<string, string | null> {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => !Object.hasOwn(before, key) || before[key] !== value);
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed]);
}
