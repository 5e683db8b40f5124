import type { EnvoyApi, JsonObject, JsonValue } from '@flotilla/envoy-api';
import { type Capabilities, capabilitiesOf } from './capabilities.ts';
import { type DocumentKey, toDocumentKey } from './documents/collections.ts';
import { type DocumentReference, findReferences } from './documents/references.ts';
import { type Expansion, expandDocument } from './expand.ts';
import type { GuardedPolicies } from './guard/connection-manager.ts';
import { PolicyCoverage } from './guard/coverage.ts';
import { checkFilters } from './guard/filter-wiring.ts';
import { checkBuffers, findManagers, type ManagerFacts, switchInlineRoutesOff } from './guard/manager-facts.ts';
import { type SwitchedOff, switchOff } from './guard/switch-off.ts';
import { bindToClient, isManaged, portsOf } from './listener.ts';
import { ADS_SOURCE, messageOf, toTypeUrl } from './resource-kinds.ts';
import type { DocumentSource, NodeInput, SourceDocument, TranslationError } from './types.ts';

/** A document made ready for the wire, for all nodes that agree on what it depends on. */
export interface BuiltDocument {
  /** Undefined where the document cannot be written, or does not travel by itself (bootstraps). */
  readonly bytes: Uint8Array | undefined;
  readonly resource: JsonObject;
  readonly references: readonly DocumentReference[];
  readonly errors: readonly TranslationError[];
  /** Further keys that were looked at. */
  readonly used: readonly string[];
  readonly hasConnectionManager: boolean;
  readonly ports: readonly number[];
  /** The connection managers of a listener or bootstrap, where the service has a filter. */
  readonly managers: readonly ManagerFacts[];
  /** What of the routes does without the filter. */
  readonly switchedOff: Pick<SwitchedOff, 'hostCount' | 'routeCount'> | undefined;
}

interface Memo {
  readonly built: BuiltDocument;
  /** Key -> revision of every document that went in; undefined for one that was missing. */
  readonly inputs: readonly (readonly [SourceDocument | undefined, string])[];
  readonly virtualHosts: string;
  /** Of the node, as far as it was used. */
  readonly filesDir: string | undefined;
  readonly shield: string | undefined;
  readonly addresses: string | undefined;
}

/** Different nodes may need different forms of one document (file folders, addresses); more than these are made anew. */
const MEMOS_PER_DOCUMENT = 64;
const DOCUMENTS_MAX = 50_000;

/** Builds documents and remembers the result: a thousand nodes of one service cost one build and hold the same bytes. */
export class ResourceBuilder {
  readonly #api: EnvoyApi;
  readonly #capabilities: Capabilities;
  readonly #memos = new Map<string, Memo[]>();
  readonly #coverages = new WeakMap<GuardedPolicies, PolicyCoverage>();

  constructor(api: EnvoyApi) {
    this.#api = api;
    this.#capabilities = capabilitiesOf(api.version);
  }

  /** `mayDoWithout`: every connection manager that takes these routes lets them switch the filter off. */
  build(source: DocumentSource, document: SourceDocument, node: NodeInput, mayDoWithout = false): BuiltDocument {
    const key = toDocumentKey(document.collection, document.name);
    if (!this.#api.hasMessage(document.type)) return unknownType(key, document.type, this.#api.version);
    const virtualHosts = document.collection === 'routes' ? source.virtualHostsOf(document.name) : [];
    const signature = virtualHosts.map(({ name, revision }) => `${name}@${revision}`).join('\n');
    const shield = shieldKey(node, document, mayDoWithout);
    const memos = this.#memos.get(key) ?? [];
    const known = memos.find(
      (memo) =>
        memo.virtualHosts === signature &&
        memo.inputs.every(([input, id]) => isSame(input, lookUp(source, id))) &&
        (memo.filesDir === undefined || memo.filesDir === node.filesDir) &&
        (memo.shield === undefined || memo.shield === shield) &&
        (memo.addresses === undefined || memo.addresses === node.addresses.join()),
    );
    if (known) return known.built;
    const memo = this.#make(source, document, { node, virtualHosts, signature, shield, mayDoWithout });
    this.#keep(key, [memo, ...memos].slice(0, MEMOS_PER_DOCUMENT));
    return memo.built;
  }

  #keep(key: string, memos: Memo[]): void {
    this.#memos.delete(key);
    this.#memos.set(key, memos);
    const oldest = this.#memos.keys().next().value;
    if (this.#memos.size > DOCUMENTS_MAX && oldest !== undefined) this.#memos.delete(oldest);
  }

  #make(
    source: DocumentSource,
    document: SourceDocument,
    options: {
      node: NodeInput;
      virtualHosts: readonly SourceDocument[];
      signature: string;
      shield: string;
      mayDoWithout: boolean;
    },
  ): Memo {
    const { node, virtualHosts, signature, shield } = options;
    const key = toDocumentKey(document.collection, document.name);
    const parts = this.#capabilities.virtualHostDiscovery ? [] : virtualHosts;
    const expansions = [document, ...parts].map((one) => ({
      document: one,
      expansion: expandDocument(this.#api, source, one, node),
    }));
    const errors: TranslationError[] = expansions.flatMap(({ document: one, expansion }) =>
      expansion.errors.map((error) => ({ ...error, document: toDocumentKey(one.collection, one.name) })),
    );
    const first = expansions[0]?.expansion;
    if (!first) throw new Error('a document always has an expansion');
    let resource = withVirtualHosts(
      first.resource,
      expansions.slice(1).map(({ expansion }) => expansion),
    );
    if (parts.length < virtualHosts.length) resource = { ...resource, vhds: { config_source: ADS_SOURCE } };
    const managed = document.collection === 'listeners' && isManaged(resource);
    if (managed && node.addresses.length === 0) {
      const message = 'is left to the clients, and this client has no address for the service';
      errors.push({ document: key, path: 'address.socket_address.address', rule: 'address.missing', message });
    } else if (managed) resource = bindToClient(resource, node.addresses);
    const guarded = this.#applyPolicies(document, resource, options);
    resource = guarded.resource;
    errors.push(...guarded.errors.map((error) => ({ ...error, document: key })));
    const found = findReferences(this.#api, { ...document, resource });
    const isUnbound = managed && node.addresses.length === 0;
    const bytes = isUnbound ? undefined : this.#encode(document, resource, errors);
    const all = expansions.map(({ expansion }) => expansion);
    const hasConnectionManager = all.some((expansion) => expansion.hasConnectionManager);
    return {
      built: {
        bytes,
        resource,
        references: found.references.filter(({ kind }) => kind === 'name'),
        errors,
        used: [
          ...parts.map(({ collection, name }) => toDocumentKey(collection, name)),
          ...all.flatMap(({ inlined }) => [...inlined.keys()]),
        ],
        hasConnectionManager,
        ports: document.collection === 'listeners' ? portsOf(resource) : [],
        managers: guarded.managers,
        switchedOff: guarded.switchedOff,
      },
      inputs: [[document, key], ...all.flatMap(toInputs), ...secretsLookedFor(source, found.references)],
      virtualHosts: signature,
      filesDir: all.some(({ usesFiles }) => usesFiles) ? node.filesDir : undefined,
      shield: hasConnectionManager || document.collection === 'routes' ? shield : undefined,
      addresses: managed ? node.addresses.join() : undefined,
    };
  }

  /** What policies mean for the finished document: bounds of bodies, and routes that need no filter. */
  #applyPolicies(
    document: SourceDocument,
    resource: JsonObject,
    { node, mayDoWithout }: { node: NodeInput; mayDoWithout: boolean },
  ): {
    resource: JsonObject;
    errors: readonly Omit<TranslationError, 'document'>[];
    managers: readonly ManagerFacts[];
    switchedOff: SwitchedOff | undefined;
  } {
    const policies = node.shield?.policies;
    const nothing = { resource, errors: [], managers: [], switchedOff: undefined };
    if (node.shield === undefined) return nothing;
    const coverage = policies && this.#coverageOf(policies);
    if (document.collection === 'routes') {
      const switchedOff = mayDoWithout && coverage ? switchOff(resource, coverage) : undefined;
      if (!switchedOff) return nothing;
      return { ...nothing, switchedOff, resource: { ...resource, virtual_hosts: [...switchedOff.virtualHosts] } };
    }
    if (document.collection !== 'listeners' && document.collection !== 'bootstrap') return nothing;
    const managers = findManagers(this.#api, document.type, resource);
    return {
      resource,
      managers,
      errors: coverage ? [...checkBuffers(managers, coverage), ...checkFilters(managers, coverage)] : [],
      switchedOff: coverage && switchInlineRoutesOff(managers, coverage),
    };
  }

  #coverageOf(policies: GuardedPolicies): PolicyCoverage {
    const coverage = this.#coverages.get(policies) ?? new PolicyCoverage(policies);
    this.#coverages.set(policies, coverage);
    return coverage;
  }

  #encode(document: SourceDocument, resource: JsonObject, errors: TranslationError[]): Uint8Array | undefined {
    const message = messageOf(document.collection);
    if (message === undefined) return undefined;
    const json = toWireForm(document, resource);
    const encoded = this.#api.encode(message, json);
    if (encoded.ok) return encoded.value;
    const key = toDocumentKey(document.collection, document.name);
    errors.push(...encoded.error.map((violation) => ({ ...violation, document: key })));
    return undefined;
  }
}

/** All that a document may depend on of the filter's placement and policies. */
function shieldKey({ shield }: NodeInput, { collection }: SourceDocument, mayDoWithout: boolean): string {
  if (shield === undefined) return '';
  const digest = shield.policies?.digest ?? '';
  if (collection === 'routes') return mayDoWithout ? digest : 'asked';
  return `${shield.xffTrustedHops} ${digest}`;
}

/** Stored when another set of descriptors was at hand. */
function unknownType(document: DocumentKey, type: string, version: string): BuiltDocument {
  const message = `Envoy ${version} knows no message ${type}`;
  const errors = [{ document, path: '', rule: 'unknown_message', message }];
  return {
    bytes: undefined,
    resource: {},
    references: [],
    errors,
    used: [],
    hasConnectionManager: false,
    ports: [],
    managers: [],
    switchedOff: undefined,
  };
}

function toWireForm({ collection, name, type }: SourceDocument, resource: JsonObject): JsonValue {
  if (collection === 'filters') return { name, typed_config: { '@type': toTypeUrl(type), ...resource } };
  // Envoy takes a virtual host away by the name of its resource, and finds it by its own.
  return collection === 'virtual_hosts' ? { ...resource, name } : resource;
}

function withVirtualHosts(resource: JsonObject, hosts: readonly Expansion[]): JsonObject {
  if (hosts.length === 0) return resource;
  const own = Array.isArray(resource.virtual_hosts) ? resource.virtual_hosts : [];
  return { ...resource, virtual_hosts: [...own, ...hosts.map((host) => host.resource)] };
}

function toInputs({ inlined }: Expansion): [SourceDocument | undefined, string][] {
  return [...inlined].map(([id, document]) => [document, id]);
}

/** Whether a secret is static or comes by SDS depends on there being a document. */
function secretsLookedFor(
  source: DocumentSource,
  references: readonly DocumentReference[],
): [SourceDocument | undefined, string][] {
  return references.flatMap(({ collection, name }): [SourceDocument | undefined, string][] =>
    collection === 'secrets' ? [[source.get(collection, name), toDocumentKey(collection, name)]] : [],
  );
}

function lookUp(source: DocumentSource, id: string): SourceDocument | undefined {
  const slash = id.indexOf('/');
  return source.get(id.slice(0, slash) as SourceDocument['collection'], id.slice(slash + 1));
}

function isSame(a: SourceDocument | undefined, b: SourceDocument | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.revision === b.revision && a.resource === b.resource);
}
