import { type MessageAlert, type MessagePayload, oneLine, sectionsOf, titleOf } from '../notify/message.ts';

/** A message as the channels get it. */
export interface Message {
  /** Id of the delivery. It is equal in every attempt, so that a receiver can drop repetitions. */
  readonly id: string;
  readonly project: { readonly id: string; readonly name: string };
  readonly at: Date;
  readonly payload: MessagePayload;
  /** Page of the alerts; undefined if the installation has no public address. */
  readonly link: string | undefined;
}

const NAME_MAX = 200;
const SUMMARY_MAX = 300;
/** Labels in a text; JSON has all of them. */
const LABELS_MAX = 5;
const LABEL_MAX = 60;
const TEST_TEXT = 'This channel works. Alerts of its rules will arrive here.';

export function renderJson({ id, project, at, payload, link }: Message): object {
  const common = {
    version: 1,
    id,
    project,
    at: at.toISOString(),
    title: titleOf(payload, project.name),
    url: link ?? null,
  };
  return { ...common, ...payload };
}

/** Plain text: one line per alert, in which no name can begin a line of its own. */
export function renderText(message: Message): string {
  const { payload, project, link } = message;
  const lines = [titleOf(payload, project.name), ''];
  if (payload.kind === 'test') lines.push(TEST_TEXT, `Sent by ${oneLine(payload.by, NAME_MAX)}.`, '');
  for (const { heading, alerts, others } of sectionsOf(payload)) {
    lines.push(heading, ...alerts.map((alert) => `- ${describe(alert, (name) => name)}`));
    if (others > 0) lines.push(`- and ${others} more`);
    lines.push('');
  }
  if (link) lines.push(link);
  return lines.join('\n');
}

export function renderHtml(message: Message): string {
  const { payload, project, link } = message;
  const parts = [`<h2>${escapeHtml(titleOf(payload, project.name))}</h2>`];
  if (payload.kind === 'test') parts.push(`<p>${TEST_TEXT}</p>`);
  for (const { heading, alerts, others } of sectionsOf(payload)) {
    const items = alerts.map((alert) => `<li>${escapeHtml(describe(alert, (name) => name))}</li>`);
    if (others > 0) items.push(`<li>and ${others} more</li>`);
    parts.push(`<h3>${heading}</h3><ul>${items.join('')}</ul>`);
  }
  if (link) parts.push(`<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`);
  return parts.join('\n');
}

/** The `text` of an incoming webhook. Names are in code spans, where neither markup nor mentions have a meaning. */
export function renderSlack(message: Message): { text: string } {
  const { payload, project, link } = message;
  const lines = [`*${escapeSlack(titleOf(payload, project.name))}*`];
  if (payload.kind === 'test') lines.push(TEST_TEXT);
  for (const { heading, alerts, others } of sectionsOf(payload)) {
    lines.push(heading, ...alerts.map((alert) => `• ${describe(escapeAlert(alert), (name) => `\`${name}\``)}`));
    if (others > 0) lines.push(`• and ${others} more`);
  }
  if (link) lines.push(`<${link}|Show the alerts>`);
  return { text: lines.join('\n') };
}

function describe({ severity, rule, subject, labels, summary }: MessageAlert, wrap: (name: string) => string): string {
  const name = wrap(oneLine(subject.name, NAME_MAX));
  const what = `${subject.kind} ${name}${describeLabels(labels)}`;
  return `${severity}, ${oneLine(rule, NAME_MAX)}: ${what}. ${oneLine(summary, SUMMARY_MAX)}`;
}

/** ` (site=ber, tier=edge)`, or nothing. */
function describeLabels(labels: MessageAlert['labels']): string {
  const pairs = Object.entries(labels);
  if (pairs.length === 0) return '';
  const shown = pairs.slice(0, LABELS_MAX).map(([key, value]) => oneLine(`${key}=${value}`, LABEL_MAX));
  return ` (${shown.join(', ')}${pairs.length > LABELS_MAX ? ', …' : ''})`;
}

function escapeAlert(alert: MessageAlert): MessageAlert {
  const clean = (text: string, max: number) => escapeSlack(oneLine(text, max));
  return {
    ...alert,
    subject: { ...alert.subject, name: clean(alert.subject.name, NAME_MAX) },
    labels: Object.fromEntries(
      Object.entries(alert.labels).map(([key, value]) => [clean(key, LABEL_MAX), clean(value, LABEL_MAX)]),
    ),
    summary: clean(alert.summary, SUMMARY_MAX),
  };
}

/** Slack gives a meaning to three characters; Mattermost and others to those of Markdown, and to `@`. */
function escapeSlack(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', "'")
    .replaceAll(/[*_~[\]|]/g, ' ')
    .replaceAll('@', '@\u200b');
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
