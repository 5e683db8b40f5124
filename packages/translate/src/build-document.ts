import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { ok, type Result, type Violation } from '@flotilla/kit';
import { assembleMessage } from './assemble-message.ts';
import type { BuildContext } from './build-context.ts';
import { type DocumentKey, toDocumentKey } from './documents/collections.ts';
import { type DocumentReference, findReferences } from './documents/references.ts';
import { preventsDelivery } from './error-rules.ts';
import type { Lookup } from './expand.ts';
import { applyPolicies } from './guard/apply-policies.ts';
import type { Unasked } from './guard/guard-report.ts';
import type { ManagerSummary } from './guard/manager-facts.ts';
import { bindToClient, isManaged, portsOf } from './listener.ts';
import { messageOf, toWireForm } from './resource-kinds.ts';
import type { DocumentSource, SourceDocument, TranslationError } from './types.ts';

/** A document in its wire form. */
export interface BuiltDocument {
  /** Undefined if the document cannot be encoded, or is not sent on its own (bootstraps). */
  readonly bytes: Uint8Array | undefined;
  /** The document must not be sent in this version; receivers keep an earlier one. */
  readonly isWithheld: boolean;
  /** The build failed: these values are those of an earlier version, or empty. */
  readonly isFailed: boolean;
  /** The message of a bootstrap. */
  readonly bootstrap: JsonObject | undefined;
  /** By name, only the first to each document. The content of a `$ref` is in the resource. */
  readonly references: readonly DocumentReference[];
  readonly errors: readonly TranslationError[];
  /** Keys of further documents that are in the resource, or should be. */
  readonly parts: readonly string[];
  /** For a route configuration: names of virtual hosts that are sent separately. */
  readonly hostsBeside: readonly string[];
  readonly hasConnectionManager: boolean;
  /** Has connection managers or TCP proxies. */
  readonly hasLog: boolean;
  readonly ports: readonly number[];
  /** The connection managers of a listener or bootstrap, if the service has a filter. */
  readonly managers: readonly ManagerSummary[];
  /** Routes that work without the filter. */
  readonly unasked: Unasked;
}

/** A built document and the inputs that it used: with equal inputs, the result is the same. */
export interface Build {
  readonly built: BuiltDocument;
  /** Excludes the document itself and, for a route configuration, its virtual hosts. */
  readonly lookups: readonly Lookup[];
  readonly usesFiles: boolean;
  readonly usesShield: boolean;
  readonly usesLog: boolean;
  readonly usesAddresses: boolean;
}

/** Also without a connection manager, because listeners are reported if they have none. */
const USES_SHIELD: ReadonlySet<string> = new Set(['bootstrap', 'listeners', 'routes']);

type PlacedProblem = Omit<TranslationError, 'document'>;

const NO_ADDRESS: PlacedProblem = {
  path: 'address.socket_address.address',
  rule: 'address.missing',
  message:
    'the listener binds to "@client", and this client has no IP address for the service. Add one to the client in the service',
};

/**
 * Assembles the message, binds it to the client, applies the policies and encodes it. The document's type must be
 * known.
 */
export function buildDocument(api: EnvoyApi, document: SourceDocument, context: BuildContext): Build {
  const { source, node } = context;
  const assembly = assembleMessage(api, document, context);
  const usesAddresses = document.collection === 'listeners' && isManaged(assembly.resource);
  const isUnbound = usesAddresses && node.addresses.length === 0;
  const bound = usesAddresses ? bindToClient(assembly.resource, node.addresses) : assembly.resource;
  const guarded = applyPolicies(api, { ...document, resource: bound }, context);
  const finished = { ...document, resource: guarded.resource };
  const { references } = findReferences(api, finished);
  const isRefused = isUnbound || assembly.isRefused;
  const written = isRefused ? ok(undefined) : writeDocument(api, finished);
  const tooLong = document.collection === 'bootstrap' ? findLength(finished.resource) : [];
  const problems: PlacedProblem[] = [
    ...(isUnbound ? [NO_ADDRESS] : []),
    ...tooLong,
    ...guarded.errors,
    ...(written.ok ? [] : written.error),
  ];
  const key = toDocumentKey(document.collection, document.name);
  return {
    built: {
      bytes: written.ok ? written.value : undefined,
      isWithheld: assembly.isRefused,
      isFailed: false,
      bootstrap: document.collection === 'bootstrap' && tooLong.length === 0 ? finished.resource : undefined,
      references: firstToEach(references.filter(({ kind }) => kind === 'name')),
      errors: shorten(key, [...assembly.errors, ...problems.map((problem) => ({ ...problem, document: key }))]),
      parts: assembly.parts,
      hostsBeside: assembly.hostsBeside,
      hasConnectionManager: assembly.hasConnectionManager,
      hasLog: assembly.hasLog,
      ports: document.collection === 'listeners' ? portsOf(finished.resource) : [],
      managers: guarded.managers.map(({ path, routes, reasons }) => ({ path, routes, reasons })),
      unasked: guarded.unasked && { hostCount: guarded.unasked.hostCount, routeCount: guarded.unasked.routeCount },
    },
    lookups: [...assembly.lookups, ...lookUpSecrets(source, firstToEach(references))],
    usesFiles: assembly.usesFiles,
    usesShield: assembly.hasConnectionManager || USES_SHIELD.has(document.collection),
    usesLog: assembly.hasLog,
    usesAddresses,
  };
}

/** A document of megabytes may refer to another one a hundred thousand times; one reference to each is enough. */
function firstToEach(references: readonly DocumentReference[]): DocumentReference[] {
  const first = new Map<DocumentKey, DocumentReference>();
  for (const reference of references) {
    const key = toDocumentKey(reference.collection, reference.name);
    if (!first.has(key)) first.set(key, reference);
  }
  return [...first.values()];
}

/** A node reports at most twice as many configuration errors. */
const ERRORS_MAX = 100;

function shorten(document: DocumentKey, errors: readonly TranslationError[]): readonly TranslationError[] {
  if (errors.length <= ERRORS_MAX) return errors;
  const left = errors.slice(ERRORS_MAX - 1);
  const rule = left.some(preventsDelivery) ? 'document.more_problems' : 'shield.more_problems';
  const message = `${left.length} further problems are not listed; fix those that are`;
  return [...errors.slice(0, ERRORS_MAX - 1), { document, path: '', rule, message }];
}

/** A bootstrap is sent to its node as one text, and Envoy parses it before anything else. */
const BOOTSTRAP_MAX_CHARS = 512 * 1024;

function findLength(bootstrap: JsonObject): PlacedProblem[] {
  const { length } = JSON.stringify(bootstrap);
  if (length <= BOOTSTRAP_MAX_CHARS) return [];
  const message = `the bootstrap has ${length} characters with what it refers to, and at most ${BOOTSTRAP_MAX_CHARS} are sent: move its static clusters, listeners and secrets to documents of their own; until then the last good version keeps running`;
  return [{ path: '', rule: 'bootstrap.too_large', message }];
}

function writeDocument(api: EnvoyApi, document: SourceDocument): Result<Uint8Array | undefined, Violation[]> {
  const message = messageOf(document.collection);
  return message === undefined ? ok(undefined) : api.encode(message, toWireForm(document));
}

/** A secret is loaded by SDS if a document exists, and is static otherwise. */
function lookUpSecrets(source: DocumentSource, references: readonly DocumentReference[]): Lookup[] {
  return references
    .filter(({ collection }) => collection === 'secrets')
    .map(({ collection, name }) => ({ collection, name, document: source.get(collection, name) }));
}
