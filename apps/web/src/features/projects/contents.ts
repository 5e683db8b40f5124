import { ApiError } from '../../api/index.ts';

export interface Content {
  readonly kind: string;
  readonly count: number;
}

/** What stands in the way of deleting a project, as the controller's refusal lists it; undefined for any other error. */
export function readContents(error: unknown): readonly Content[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'project.not_empty') return undefined;
  const { contents } = error.body;
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
