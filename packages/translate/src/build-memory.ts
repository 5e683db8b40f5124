import type { EnvoyApi } from '@flotilla/envoy-api';
import { type Build, type BuildContext, type BuiltDocument, buildDocument } from './build-document.ts';
import { type DocumentKey, toDocumentKey } from './documents/collections.ts';
import type { Lookup } from './expand.ts';
import type { SourceDocument } from './types.ts';

/** What a build may depend on besides the documents that it looks up, as texts to compare. */
interface Circumstances {
  readonly virtualHosts: string;
  readonly filesDir: string;
  readonly shield: string;
  readonly addresses: string;
}

interface Memo {
  readonly built: BuiltDocument;
  /** The document itself first. */
  readonly lookups: readonly Lookup[];
  /** Those that were used. */
  readonly circumstances: Partial<Circumstances>;
}

/** Different nodes may need different forms of one document (file folders, addresses); more than these are made anew. */
const MEMOS_PER_DOCUMENT = 64;
const DOCUMENTS_MAX = 50_000;

/** Builds documents and remembers the result: a thousand nodes of one service cost one build and hold the same bytes. */
export class BuildMemory {
  readonly #api: EnvoyApi;
  readonly #memos = new Map<DocumentKey, readonly Memo[]>();

  constructor(api: EnvoyApi) {
    this.#api = api;
  }

  /** The document built now or before: the same object for all nodes that agree on what it depends on. */
  build(document: SourceDocument, context: BuildContext): BuiltDocument {
    const key = toDocumentKey(document.collection, document.name);
    if (!this.#api.hasMessage(document.type)) return unknownType(key, document.type, this.#api.version);
    const circumstances = circumstancesOf(document, context);
    const memos = this.#memos.get(key) ?? [];
    const known = memos.find((memo) => holds(memo, circumstances, context));
    if (known) return known.built;
    const made = toMemo(document, buildDocument(this.#api, document, context), circumstances);
    this.#keep(key, [made, ...memos].slice(0, MEMOS_PER_DOCUMENT));
    return made.built;
  }

  #keep(key: DocumentKey, memos: readonly Memo[]): void {
    this.#memos.delete(key);
    this.#memos.set(key, memos);
    const oldest = this.#memos.keys().next().value;
    if (this.#memos.size > DOCUMENTS_MAX && oldest !== undefined) this.#memos.delete(oldest);
  }
}

function circumstancesOf(document: SourceDocument, context: BuildContext): Circumstances {
  const { source, node } = context;
  const hosts = document.collection === 'routes' ? source.virtualHostsOf(document.name) : [];
  return {
    virtualHosts: hosts.map(({ name, revision }) => `${name}@${revision}`).join('\n'),
    filesDir: node.filesDir,
    shield: shieldKey(document, context),
    addresses: node.addresses.join(),
  };
}

/** All that a document may depend on of the filter's placement and policies. */
function shieldKey({ collection, name }: SourceDocument, { node, routesWithoutFilter }: BuildContext): string {
  const { shield } = node;
  if (shield === undefined) return '';
  const digest = shield.policies?.digest ?? '';
  if (collection === 'routes') return routesWithoutFilter.has(name) ? digest : 'asked';
  return `${shield.xffTrustedHops} ${digest}`;
}

function toMemo(document: SourceDocument, build: Build, now: Circumstances): Memo {
  const { collection, name } = document;
  return {
    built: build.built,
    lookups: [{ collection, name, document }, ...build.lookups],
    circumstances: {
      virtualHosts: now.virtualHosts,
      ...(build.usesFiles && { filesDir: now.filesDir }),
      ...(build.usesShield && { shield: now.shield }),
      ...(build.usesAddresses && { addresses: now.addresses }),
    },
  };
}

function holds({ circumstances, lookups }: Memo, now: Circumstances, { source }: BuildContext): boolean {
  const { virtualHosts, filesDir, shield, addresses } = circumstances;
  return (
    virtualHosts === now.virtualHosts &&
    (filesDir === undefined || filesDir === now.filesDir) &&
    (shield === undefined || shield === now.shield) &&
    (addresses === undefined || addresses === now.addresses) &&
    lookups.every(({ collection, name, document }) => isSame(document, source.get(collection, name)))
  );
}

function isSame(a: SourceDocument | undefined, b: SourceDocument | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.revision === b.revision && a.resource === b.resource);
}

/** Stored when another set of descriptors was at hand. */
function unknownType(document: DocumentKey, type: string, version: string): BuiltDocument {
  const message = `Envoy ${version} knows no message ${type}`;
  return {
    bytes: undefined,
    resource: {},
    references: [],
    errors: [{ document, path: '', rule: 'unknown_message', message }],
    parts: [],
    hostsBeside: [],
    hasConnectionManager: false,
    ports: [],
    managers: [],
    unasked: undefined,
  };
}
