import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { ok, type Result, type Violation } from '@flotilla/kit';
import { assembleMessage } from './assemble-message.ts';
import { toDocumentKey } from './documents/collections.ts';
import { type DocumentReference, findReferences } from './documents/references.ts';
import type { Lookup } from './expand.ts';
import { applyPolicies } from './guard/apply-policies.ts';
import type { Unasked } from './guard/guard-report.ts';
import type { ManagerFacts } from './guard/manager-facts.ts';
import { bindToClient, isManaged, portsOf } from './listener.ts';
import { messageOf, toWireForm } from './resource-kinds.ts';
import type { DocumentSource, NodeInput, SourceDocument, TranslationError } from './types.ts';

/** All that the build of a document may look at. */
export interface BuildContext {
  readonly source: DocumentSource;
  readonly node: NodeInput;
  /** By name; see `findRoutesWithoutFilter`. */
  readonly routesWithoutFilter: ReadonlySet<string>;
}

/** A document made ready for the wire. */
export interface BuiltDocument {
  /** Undefined where the document cannot be written, or does not travel by itself (bootstraps). */
  readonly bytes: Uint8Array | undefined;
  readonly resource: JsonObject;
  /** By name; what a `$ref` stands for is in the resource. */
  readonly references: readonly DocumentReference[];
  readonly errors: readonly TranslationError[];
  /** Keys of further documents that are in the resource, or should be. */
  readonly parts: readonly string[];
  /** Of a route configuration: names of virtual hosts that travel beside it. */
  readonly hostsBeside: readonly string[];
  readonly hasConnectionManager: boolean;
  readonly ports: readonly number[];
  /** The connection managers of a listener or bootstrap, where the service has a filter. */
  readonly managers: readonly ManagerFacts[];
  /** What of the routes does without the filter. */
  readonly unasked: Unasked;
}

/** A built document, and what of its context was used: while that stays, the same would come out again. */
export interface Build {
  readonly built: BuiltDocument;
  /** Besides the document itself and, of a route configuration, its virtual hosts. */
  readonly lookups: readonly Lookup[];
  readonly usesFiles: boolean;
  readonly usesShield: boolean;
  readonly usesAddresses: boolean;
}

type PlacedProblem = Omit<TranslationError, 'document'>;

const NO_ADDRESS: PlacedProblem = {
  path: 'address.socket_address.address',
  rule: 'address.missing',
  message: 'is left to the clients, and this client has no address for the service',
};

/** Assembles the message, binds it to the client, applies the policies and writes it. The document's type must be known. */
export function buildDocument(api: EnvoyApi, document: SourceDocument, context: BuildContext): Build {
  const { source, node } = context;
  const assembly = assembleMessage(api, document, context);
  const usesAddresses = document.collection === 'listeners' && isManaged(assembly.resource);
  const isUnbound = usesAddresses && node.addresses.length === 0;
  const bound = usesAddresses ? bindToClient(assembly.resource, node.addresses) : assembly.resource;
  const guarded = applyPolicies(api, { ...document, resource: bound }, context);
  const finished = { ...document, resource: guarded.resource };
  const { references } = findReferences(api, finished);
  const written = isUnbound ? ok(undefined) : writeDocument(api, finished);
  const problems: PlacedProblem[] = [
    ...(isUnbound ? [NO_ADDRESS] : []),
    ...guarded.errors,
    ...(written.ok ? [] : written.error),
  ];
  const key = toDocumentKey(document.collection, document.name);
  return {
    built: {
      bytes: written.ok ? written.value : undefined,
      resource: finished.resource,
      references: references.filter(({ kind }) => kind === 'name'),
      errors: [...assembly.errors, ...problems.map((problem) => ({ ...problem, document: key }))],
      parts: assembly.parts,
      hostsBeside: assembly.hostsBeside,
      hasConnectionManager: assembly.hasConnectionManager,
      ports: document.collection === 'listeners' ? portsOf(finished.resource) : [],
      managers: guarded.managers,
      unasked: guarded.unasked,
    },
    lookups: [...assembly.lookups, ...lookUpSecrets(source, references)],
    usesFiles: assembly.usesFiles,
    usesShield: assembly.hasConnectionManager || document.collection === 'routes',
    usesAddresses,
  };
}

function writeDocument(api: EnvoyApi, document: SourceDocument): Result<Uint8Array | undefined, Violation[]> {
  const message = messageOf(document.collection);
  return message === undefined ? ok(undefined) : api.encode(message, toWireForm(document));
}

/** Whether a secret is static or comes by SDS depends on there being a document. */
function lookUpSecrets(source: DocumentSource, references: readonly DocumentReference[]): Lookup[] {
  return references
    .filter(({ collection }) => collection === 'secrets')
    .map(({ collection, name }) => ({ collection, name, document: source.get(collection, name) }));
}
