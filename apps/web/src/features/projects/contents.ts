import type { ErrorBody } from '@flotilla/contract';

export interface Content {
  readonly kind: string;
  readonly count: number;
}

/** What stands in the way of deleting a project, as the controller's refusal lists it; undefined for any other refusal. */
export function readContents(refusal: ErrorBody): readonly Content[] | undefined {
  if (refusal.code !== 'project.not_empty') return undefined;
  const { contents } = refusal;
  if (!Array.isArray(contents)) return undefined;
  return contents.filter(isContent);
}

function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, count } = value as Partial<Record<keyof Content, unknown>>;
  return typeof kind === 'string' && typeof count === 'number';
}

const ONE: Readonly<Record<string, string>> = {
  documents: 'resource',
  policies: 'policy',
  services: 'service',
  clients: 'client',
};

/** `1 policy`, `12 resources` */
export function nameContent({ kind, count }: Content): string {
  const one = ONE[kind];
  if (one === undefined) return `${count} ${kind}`;
  if (count === 1) return `1 ${one}`;
  return `${count.toLocaleString()} ${kind === 'documents' ? 'resources' : kind}`;
}
