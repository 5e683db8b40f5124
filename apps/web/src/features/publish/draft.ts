import {
  type PublishInput,
  parsePublishedHost,
  parsePublishedPath,
  parseUpstreamUrl,
  type UpstreamUrl,
} from '@flotilla/contract';
import { texts } from './texts.tsx';

const text = texts.draft;

export interface PublishDraft {
  /** One upstream per line, with an optional weight after it. */
  readonly upstreams: string;
  readonly hosts: readonly string[];
  readonly path: string;
  /** The name of an existing listener; null: a new one. */
  readonly listener: string | null;
  readonly port: number | undefined;
  readonly address: string;
  readonly certificate: string | null;
  readonly clients: readonly string[];
  readonly policy: string | null;
  readonly healthCheck: string;
  readonly authorities: string | null;
}

export const EMPTY_DRAFT: PublishDraft = {
  upstreams: '',
  hosts: [],
  path: '/',
  listener: null,
  port: 8080,
  address: '0.0.0.0',
  certificate: null,
  clients: [],
  policy: null,
  healthCheck: '',
  authorities: null,
};

export type DraftErrors = Readonly<Partial<Record<keyof PublishDraft, string>>>;

const LINE = /^(\S+)(?:\s+(\d{1,7}))?$/;

type Line = UpstreamUrl & { readonly weight?: number };

/** The upstreams, and the error of the first line that cannot be read. */
function readLines(lines: string): { readonly upstreams: readonly Line[]; readonly error: string | undefined } {
  const upstreams: Line[] = [];
  for (const [index, line] of lines.split('\n').entries()) {
    const given = line.trim();
    if (given === '') continue;
    const [, url = given, weight] = LINE.exec(given) ?? [];
    const parsed = parseUpstreamUrl(url);
    if (!parsed.ok) return { upstreams, error: text.line(index + 1, parsed.message) };
    upstreams.push({ ...parsed.value, ...(weight !== undefined && { weight: Number(weight) }) });
  }
  return { upstreams, error: undefined };
}

/** Errors of the fields that are filled in. `isWhole`: also those of missing ones. */
export function checkDraft(draft: PublishDraft, { isWhole }: { readonly isWhole: boolean }): DraftErrors {
  const { upstreams, error } = readLines(draft.upstreams);
  const host = draft.hosts.map((one) => ({ one, parsed: parsePublishedHost(one) })).find(({ parsed }) => !parsed.ok);
  const path = parsePublishedPath(draft.path);
  const check = draft.healthCheck === '' ? undefined : parsePublishedPath(draft.healthCheck);
  const isMixed = new Set(upstreams.map(({ tls }) => tls)).size > 1;
  const missing = isWhole ? findMissing(draft, upstreams.length) : {};
  return {
    ...missing,
    ...(error !== undefined && { upstreams: error }),
    ...(isMixed && { upstreams: text.mixed }),
    ...(host && !host.parsed.ok && { hosts: text.host(host.one, host.parsed.message) }),
    ...(!path.ok && { path: path.message }),
    ...(check && !check.ok && { healthCheck: check.message }),
  };
}

function findMissing({ hosts, listener, port, clients }: PublishDraft, upstreams: number): DraftErrors {
  return {
    ...(upstreams === 0 && { upstreams: text.noUpstream }),
    ...(hosts.length === 0 && { hosts: text.noHost }),
    ...(listener === null && port === undefined && { port: text.noPort }),
    ...(listener === null && clients.length === 0 && { clients: text.noClient }),
  };
}

/** Whether the upstreams are called over TLS. */
export function usesTls({ upstreams }: PublishDraft): boolean {
  return readLines(upstreams).upstreams.some(({ tls }) => tls);
}

export function toBody(draft: PublishDraft): PublishInput {
  const { hosts, path, listener, port = 0, address, certificate, clients, policy, healthCheck, authorities } = draft;
  const { upstreams } = readLines(draft.upstreams);
  return {
    upstreams: upstreams.map(({ tls: _, ...upstream }) => upstream),
    ...(usesTls(draft) && { upstream_tls: authorities === null ? {} : { authorities } }),
    ...(healthCheck !== '' && { health_check: { path: healthCheck } }),
    hosts: [...hosts],
    path,
    listener:
      listener === null ? { port, address, ...(certificate !== null && { certificate }) } : { existing: listener },
    clients: clients.map((client_id) => ({ client_id })),
    ...(policy !== null && { policy }),
  };
}

const FIELDS: ReadonlyArray<readonly [RegExp, keyof PublishDraft]> = [
  [/^upstreams/, 'upstreams'],
  [/^hosts/, 'hosts'],
  [/^path/, 'path'],
  [/^listener\.existing/, 'listener'],
  [/^listener\.address/, 'address'],
  [/^listeners?(?:$|\[|\.port)/, 'port'],
  [/^clients/, 'clients'],
  [/^policies/, 'policy'],
  [/^health_check/, 'healthCheck'],
];

/** The field that a detail of a refusal is about. */
export function fieldOf(path: string): keyof PublishDraft | undefined {
  return FIELDS.find(([pattern]) => pattern.test(path))?.[1];
}
