import type { PolicyDraft, PolicyDraftPart, PolicyDraftRoute } from '@flotilla/contract';
import type { RiskFlag } from '@flotilla/inventory';
import { listPlaceholders, POLICY_API_VERSION, POLICY_KIND } from '@flotilla/policy';
import { chooseCredential, credentialBlock, schemesOf } from './credentials.ts';
import { defaultLimit, explainLimit } from './limit.ts';
import { allowMethods, explainUnseenBodies } from './methods.ts';
import {
  type DraftDomain,
  type DraftRoute,
  type Engines,
  keyOfPath,
  type PathGroup,
  type PathTraffic,
  type Skip,
  toHostEntry,
} from './plan.ts';
import { type GroupFacts, notesOf, readGroup } from './rationale.ts';
import { writeDraft } from './write-draft.ts';

/** SHA-256 of nothing that is known: no key fits it. */
const NOBODY = '0'.repeat(64);

export interface DraftInput {
  readonly groups: readonly PathGroup[];
  readonly skipped: readonly Skip[];
  readonly parts: ReadonlySet<PolicyDraftPart>;
  readonly traffic: ReadonlyMap<string, PathTraffic>;
  readonly factor: number;
  readonly name: string | undefined;
}

export type DraftBody = Omit<PolicyDraft, 'from' | 'to' | 'without_traffic' | 'skipped_findings'>;

/** Whether a path gets a limit, so that its traffic has to be counted. */
export function needsLimit(group: PathGroup, parts: ReadonlySet<PolicyDraftPart>): boolean {
  return parts.has('rate_limits') || (parts.has('findings') && readGroup(group).needsLimit);
}

/** Drafts a policy in mode `detect`. Without routes or notes, the operations ask for none: they are in `skipped`. */
export function draftPolicy(input: DraftInput): DraftBody | { readonly skipped: readonly Skip[] } {
  const skipped = [...input.skipped];
  const domains: DraftDomain[] = [];
  for (const [host, groups] of byHost(input.groups)) {
    const drafted = groups.map((group) => draftRoute(group, groups, input));
    const isModel = input.parts.has('positive_model');
    const kept = drafted.filter(({ engines }) => isModel || Object.keys(engines).length > 0);
    const idle = drafted.filter((route) => !kept.includes(route) && route.rationale.notes.length === 0);
    skipped.push(
      ...idle.flatMap(({ rationale }) =>
        rationale.operation_ids.map((id): Skip => ({ operation_id: id, reason: 'nothing_to_do' })),
      ),
    );
    const noted = drafted.filter((route) => !idle.includes(route));
    if (noted.length > 0)
      domains.push({ host, engines: isModel ? { api_key: { keys: [{ sha256: NOBODY }] } } : {}, routes: noted });
  }
  if (domains.length === 0) return { skipped };
  const name = input.name ?? nameOf(domains);
  const document = toDocument(name, domains);
  const remarks = explainUnseenBodies(domains);
  const routes = domains.flatMap((domain) => domain.routes.map(({ rationale }) => rationale));
  return {
    name,
    text: writeDraft(document, domains, { skipped, remarks }),
    operations: routes.reduce((sum, route) => sum + route.operation_ids.length, 0),
    routes,
    notes: [...notesOfDraft(domains, input, skipped), ...remarks],
    placeholders: listPlaceholders(document).map(({ path, what }) => ({ field: formatField(path), what })),
    skipped,
  };
}

function byHost(groups: readonly PathGroup[]): Map<string, PathGroup[]> {
  const hosts = new Map<string, PathGroup[]>();
  for (const group of groups) {
    const host = toHostEntry(group.host);
    if (host !== undefined) hosts.set(host, [...(hosts.get(host) ?? []), group]);
  }
  return hosts;
}

function draftRoute(
  group: PathGroup,
  ofHost: readonly PathGroup[],
  { parts, traffic, factor }: DraftInput,
): DraftRoute {
  const facts = readGroup(group);
  const engines: Engines = {};
  const reasons: PolicyDraftRoute['engines'] = [];
  const notes: PolicyDraftRoute['notes'] = [];
  const handled = new Set<RiskFlag>();
  if (parts.has('findings') && facts.needsCredentials)
    requireCredentials(group, ofHost, facts, { engines, reasons, notes, handled });
  if (needsLimit(group, parts)) {
    const limit = traffic.get(keyOfPath(group.host, group.path))?.limit ?? defaultLimit(facts.isSensitive, factor);
    engines.rate_limit = { requests_per_second: limit.requests_per_second, burst: limit.burst, key: 'ip' };
    const cause = facts.rateFlags.length > 0 ? `Flags: ${facts.rateFlags.join(', ')}. ` : '';
    reasons.push({ engine: 'rate_limit', why: cause + explainLimit(limit), limit });
    for (const flag of facts.rateFlags) handled.add(flag);
  }
  if (parts.has('positive_model')) {
    if (engines.api_key === undefined) engines.api_key = null;
    const model = allowMethods(group);
    engines.methods = { allow: model.allow };
    reasons.push({ engine: 'methods', why: model.why, limit: null });
    if (model.note !== undefined) notes.push({ flag: null, text: model.note });
  }
  const schemes = schemesOf([group]);
  return {
    template: group.path,
    engines,
    rationale: {
      host: group.host,
      hosts: [...group.hosts],
      normalized_path: group.path,
      methods: [...new Set(group.operations.map(({ method }) => method))].sort(),
      operation_ids: group.operations.map(({ id }) => id),
      finding_ids: (group.findings ?? []).map(({ id }) => id),
      flags: [...facts.flags],
      auth_schemes: [...schemes].sort(),
      traffic: traffic.get(keyOfPath(group.host, group.path))?.counts ?? null,
      engines: reasons,
      notes: [...notes, ...(parts.has('findings') ? notesOf(facts, handled) : [])],
    },
  };
}

interface Drafting {
  readonly engines: Engines;
  readonly reasons: PolicyDraftRoute['engines'];
  readonly notes: PolicyDraftRoute['notes'];
  readonly handled: Set<RiskFlag>;
}

function requireCredentials(
  group: PathGroup,
  ofHost: readonly PathGroup[],
  facts: GroupFacts,
  { engines, reasons, notes, handled }: Drafting,
): void {
  const [flag = null] = facts.credentialFlags;
  if (facts.isSignIn) {
    notes.push({ flag, text: 'Clients sign in here, so the draft does not require credentials.' });
    for (const one of facts.credentialFlags) handled.add(one);
    return;
  }
  const choice = chooseCredential(schemesOf([group]), schemesOf(ofHost));
  if (choice.engine === undefined) {
    notes.push({ flag, text: `${choice.why} Require them at the proxy or in the application.` });
    return;
  }
  engines[choice.engine] = credentialBlock(choice.engine);
  const evidence = facts.acceptsAnonymous ? 'Requests without credentials were accepted. ' : '';
  const cause = facts.credentialFlags.length > 0 ? `Flags: ${facts.credentialFlags.join(', ')}. ` : '';
  reasons.push({ engine: choice.engine, why: cause + evidence + choice.why, limit: null });
  for (const one of facts.credentialFlags) handled.add(one);
  if (group.operations.some(({ method }) => method === 'OPTIONS')) {
    const text =
      'Browsers send OPTIONS without credentials, so this would block their preflight requests. Answer CORS in the listener.';
    notes.push({ flag: null, text });
  }
}

function toDocument(name: string, domains: readonly DraftDomain[]): Record<string, unknown> {
  return {
    apiVersion: POLICY_API_VERSION,
    kind: POLICY_KIND,
    metadata: { name },
    spec: {
      defaults: { mode: 'detect', fail_mode: 'fail_open' },
      domains: domains.map(({ host, engines, routes }) => ({
        hosts: [host],
        ...(Object.keys(engines).length > 0 && { policy: { engines } }),
        routes: routes
          .filter((route) => Object.keys(route.engines).length > 0)
          .map((route) => ({ match: { path_template: route.template }, policy: { engines: route.engines } })),
      })),
    },
  };
}

/** A name that a policy may have. */
function nameOf([first, ...others]: readonly DraftDomain[]): string {
  const host = others.length === 0 ? (first?.host ?? '') : '';
  const text = host.replaceAll(/[^a-z0-9.-]+/gi, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  return `draft-${text === '' ? 'policy' : text}`.slice(0, 100).replace(/[.-]+$/, '');
}

function notesOfDraft(domains: readonly DraftDomain[], { parts }: DraftInput, skipped: readonly Skip[]): string[] {
  const notes = [
    'An exact host wins over "*" and "*.suffix", also over those of other policies of the same service. If another policy covers a host of this draft, add the routes to that policy instead.',
  ];
  if (domains.some(({ host }) => host === '*')) {
    notes.push('Operations without a host are in the domain "*", which covers every host that no other domain names.');
  }
  if (parts.has('positive_model')) {
    notes.push(
      'The positive model refuses paths that no route lists: they need a key that nobody has, so they are detected as apikey.missing. On listed paths it refuses methods that the inventory has not confirmed, as method.not_allowed.',
      'Every route allows OPTIONS, with which browsers ask before requests of other origins, and HEAD where GET was seen. A filter that is older than the engine methods refuses the policy: update the agents first.',
    );
    const left = skipped.filter(({ reason }) => reason === 'path' || reason === 'host').length;
    if (left > 0) notes.push(`${left} operations cannot be expressed as routes. The positive model would refuse them.`);
  }
  return notes;
}

function formatField(path: readonly (string | number)[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}
