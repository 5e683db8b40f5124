import type { AlertSeverity } from '@flotilla/contract';

export interface MessageAlert {
  readonly alert_id: string;
  readonly fingerprint: string;
  readonly rule: string;
  readonly severity: AlertSeverity;
  readonly subject: { readonly kind: string; readonly id: string | null; readonly name: string };
  /** Labels of the subject: of a document, or the metadata of a client. */
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly since: string;
}

export interface MessagePart {
  readonly count: number;
  /** At most ten, worst first. */
  readonly first: readonly MessageAlert[];
}

/** The stored part of a message; texts are derived from it. */
export type MessagePayload =
  | { readonly kind: 'test'; readonly by: string }
  | { readonly kind: 'alerts'; readonly firing: MessagePart; readonly resolved: MessagePart };

/** Names in a title. */
const NAMED = 3;
const TITLE_MAX = 180;

/** One line without control characters, for a subject and lists. */
export function titleOf(payload: MessagePayload, project: string): string {
  if (payload.kind === 'test') return oneLine(`Test message of project ${project}`, TITLE_MAX);
  const { firing, resolved } = payload;
  const part = firing.count > 0 ? firing : resolved;
  const what = firing.count > 0 ? 'firing' : 'resolved';
  const count = `${part.count} ${part.count === 1 ? 'alert' : 'alerts'}`;
  return oneLine(`${count} ${what} in ${project}: ${nameSome(part)}`, TITLE_MAX);
}

function nameSome({ count, first }: MessagePart): string {
  const names = first.slice(0, NAMED).map(({ subject }) => oneLine(subject.name, 40));
  const others = count - names.length;
  return others > 0 ? `${names.join(', ')} and ${others} more` : names.join(', ');
}

export interface MessageSection {
  readonly heading: string;
  readonly alerts: readonly MessageAlert[];
  /** Alerts that are not listed. */
  readonly others: number;
}

export function sectionsOf(payload: MessagePayload): MessageSection[] {
  if (payload.kind === 'test') return [];
  return [toSection('Firing', payload.firing), toSection('Resolved', payload.resolved)].filter(
    ({ alerts, others }) => alerts.length + others > 0,
  );
}

function toSection(heading: string, { count, first }: MessagePart): MessageSection {
  return { heading: `${heading}: ${count}`, alerts: first, others: count - first.length };
}

/** Replaces what could begin a line or hide text: control characters, separators, and marks of direction. */
export function oneLine(text: string, max: number): string {
  const clean = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim();
  return clean.length > max ? `${clean.slice(0, max - 1).toWellFormed()}…` : clean.toWellFormed();
}
