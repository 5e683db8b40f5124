import type { Policy, PolicyNode, PolicySummary, ShieldCounter } from '@flotilla/contract';

export type { Policy, PolicyNode, PolicySummary };

export type PolicyFile = Policy['files'][number];

/** The editable part of a policy. */
export interface PolicyContent {
  readonly text: string;
  readonly description: string;
  readonly files: readonly PolicyFile[];
}

export function toContent({ text, description, files }: Pick<Policy, 'text' | 'description' | 'files'>): PolicyContent {
  return { text, description: description ?? '', files };
}

/** Returns the part of a policy that can be copied: the content of secret files cannot be read back. */
export function toCopy(content: PolicyContent): PolicyContent {
  return { ...content, files: content.files.filter((file) => !('secret' in file)) };
}

export function toBody({ text, description, files }: PolicyContent) {
  return { text, description: description === '' ? null : description, files: [...files] };
}

export function isSameContent(a: PolicyContent, b: PolicyContent): boolean {
  return a.text === b.text && a.description === b.description && JSON.stringify(a.files) === JSON.stringify(b.files);
}

/** Returns a revision as one text: description and files come first, as comments. */
export function toComparableText(content: PolicyContent): string {
  const about =
    content.description === '' ? [] : content.description.split('\n').map((line) => `# description: ${line}`);
  const files = content.files.map((file) => `# file: ${file.path} (${fileSize(file)} bytes)`);
  const head = [...about, ...files];
  return head.length === 0 ? content.text : `${head.join('\n')}\n${content.text}`;
}

export function fileSize(file: PolicyFile): number {
  if ('secret' in file) return file.bytes;
  const { content_base64: text } = file;
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}

/** Counts blocked requests by policy. */
export function countBlocked(counters: readonly ShieldCounter[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { policy, verdict, count } of counters)
    if (verdict === 'blocked') counts.set(policy, (counts.get(policy) ?? 0) + count);
  return counts;
}
