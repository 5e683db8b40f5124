import type { BuiltDocument } from './build-document.ts';
import { type DocumentCollection, type DocumentKey, toDocumentKey } from './documents/collections.ts';
import { findDefinedNames } from './documents/references.ts';
import type { DocumentSource, NodeInput, SourceDocument, TranslationError } from './types.ts';

export interface ReachedDocument {
  readonly document: SourceDocument;
  readonly built: BuiltDocument;
}

/** Everything that a node's bootstrap and listeners refer to, directly or indirectly. */
export interface Reached {
  /** Undefined if it does not exist. */
  readonly bootstrap: BuiltDocument | undefined;
  /** All others, each after the one that led to it. */
  readonly documents: ReadonlyMap<DocumentKey, ReachedDocument>;
  /** Keys of what the bootstrap defines itself; a document with the same name is used instead. */
  readonly statics: ReadonlySet<DocumentKey>;
  /** Errors of all documents and of dangling references. */
  readonly errors: readonly TranslationError[];
  /** See `Translation.used`. */
  readonly used: ReadonlySet<string>;
}

/** Follows references from document to document. Each is built once by `build`. */
export function reachDocuments(
  source: DocumentSource,
  node: Pick<NodeInput, 'bootstrap' | 'listeners'>,
  build: (document: SourceDocument) => BuiltDocument,
): Reached {
  return new Traversal(source, build).run(node);
}

class Traversal {
  readonly #source: DocumentSource;
  readonly #build: (document: SourceDocument) => BuiltDocument;
  readonly #documents = new Map<DocumentKey, ReachedDocument>();
  readonly #statics = new Set<DocumentKey>();
  readonly #errors: TranslationError[] = [];
  readonly #used = new Set<string>();

  constructor(source: DocumentSource, build: (document: SourceDocument) => BuiltDocument) {
    this.#source = source;
    this.#build = build;
  }

  run({ bootstrap: name, listeners }: Pick<NodeInput, 'bootstrap' | 'listeners'>): Reached {
    const bootstrap = this.#visitBootstrap(name);
    for (const listener of listeners) {
      const key = toDocumentKey('listeners', listener);
      if (!this.#visit('listeners', listener)) this.#addMissing(key, '', key);
    }
    const [documents, statics, errors, used] = [this.#documents, this.#statics, this.#errors, this.#used];
    return { bootstrap, documents, statics, errors, used };
  }

  #visitBootstrap(name: string): BuiltDocument | undefined {
    const key = toDocumentKey('bootstrap', name);
    this.#used.add(key);
    const document = this.#source.get('bootstrap', name);
    if (!document) {
      this.#addMissing(key, '', key);
      return undefined;
    }
    const built = this.#take(document);
    for (const defined of findDefinedNames({ ...document, resource: built.bootstrap ?? {} })) {
      this.#statics.add(toDocumentKey(defined.collection, defined.name));
    }
    this.#follow(key, built);
    return built;
  }

  /** False if the document does not exist. */
  #visit(collection: DocumentCollection, name: string): boolean {
    const key = toDocumentKey(collection, name);
    this.#used.add(key);
    const document = this.#source.get(collection, name);
    if (!document) return false;
    if (this.#documents.has(key)) return true;
    const built = this.#take(document);
    this.#documents.set(key, { document, built });
    this.#follow(key, built);
    if (collection === 'routes') this.#used.add(`virtual_hosts/${name}/`);
    for (const host of built.hostsBeside) this.#visit('virtual_hosts', host);
    return true;
  }

  #take(document: SourceDocument): BuiltDocument {
    const built = this.#build(document);
    this.#errors.push(...built.errors);
    for (const key of built.parts) this.#used.add(key);
    return built;
  }

  #follow(from: DocumentKey, { references }: BuiltDocument): void {
    for (const { path, collection, name } of references) {
      const key = toDocumentKey(collection, name);
      if (this.#visit(collection, name) || this.#statics.has(key)) continue;
      this.#addMissing(from, path, key);
    }
  }

  #addMissing(document: DocumentKey, path: string, target: DocumentKey): void {
    this.#errors.push({ document, path, rule: 'reference.missing', message: `${target} does not exist` });
  }
}
