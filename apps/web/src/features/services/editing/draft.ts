import { texts } from './texts.tsx';

const words = texts.draft;

/** The editable part of a service. */
export interface ServiceDraft {
  readonly name: string;
  readonly version: string;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
  readonly shield: { readonly threads: number; readonly xff_trusted_hops: number };
  readonly api_discovery: boolean;
  readonly clients: readonly DraftClient[];
}

export interface DraftClient {
  readonly client_id: string;
  readonly addresses: readonly string[];
}

export const EMPTY_DRAFT: ServiceDraft = {
  name: '',
  version: '',
  bootstrap: '',
  listeners: [],
  policies: [],
  shield: { threads: 1, xff_trusted_hops: 0 },
  api_discovery: false,
  clients: [],
};

/** Creates a draft from a record or from a document of the history, which may be older than the last fields. */
export function toDraft(
  service: Omit<ServiceDraft, 'api_discovery'> & { readonly api_discovery?: boolean | undefined },
): ServiceDraft {
  const { name, version, bootstrap, listeners, policies, shield, api_discovery = false, clients } = service;
  return { name, version, bootstrap, listeners, policies, shield, api_discovery, clients };
}

/** Returns the body of a write. */
export function toBody(draft: ServiceDraft) {
  return {
    ...draft,
    listeners: [...draft.listeners],
    policies: [...draft.policies],
    clients: draft.clients.map(({ client_id, addresses }) => ({ client_id, addresses: [...addresses] })),
  };
}

/** Same rule as `nameSchema`. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NAME_MAX = 128;

export type DraftProblems = Readonly<Partial<Record<'name' | 'version' | 'bootstrap' | 'clients', string>>>;

/** Returns problems by field that can be found without the controller. */
export function checkDraft(draft: ServiceDraft): DraftProblems {
  return {
    ...(checkName(draft.name) && { name: checkName(draft.name) }),
    ...(draft.version === '' && { version: words.checkDraft.version }),
    ...(draft.bootstrap === '' && { bootstrap: words.checkDraft.bootstrap }),
    ...checkAddresses(draft),
  };
}

function checkName(name: string): string | undefined {
  if (name === '') return words.checkName.missing;
  if (name.length > NAME_MAX) return words.checkName.tooLong(NAME_MAX);
  return NAME.test(name) ? undefined : words.checkName.rule;
}

function checkAddresses({ clients }: ServiceDraft): { clients?: string } {
  const wrong = clients.flatMap(({ addresses }) => addresses).find((address) => !isAddress(address));
  return wrong === undefined ? {} : { clients: words.checkAddresses.clients(wrong) };
}

export function isAddress(text: string): boolean {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return text.split('.').every((part) => Number(part) <= 255);
  return text.includes(':') && /^[0-9a-f:.]+$/i.test(text);
}

/** Returns the form field of a path in the API's answer. */
export function fieldOf(path: string): keyof ServiceDraft | undefined {
  const field = /^(name|version|bootstrap|listeners|policies|shield|api_discovery|clients)\b/.exec(path)?.[1];
  return field as keyof ServiceDraft | undefined;
}
