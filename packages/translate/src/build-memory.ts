import type { EnvoyApi } from '@flotilla/envoy-api';
import { AllowanceExceeded, BuildAllowance } from './build-allowance.ts';
import type { BuildContext } from './build-context.ts';
import { type Build, type BuiltDocument, buildDocument } from './build-document.ts';
import type { BuildTurn } from './build-turn.ts';
import { type DocumentKey, toDocumentKey } from './documents/collections.ts';
import type { Lookup } from './expand.ts';
import { type BuildQuestion, LargeBuild, NOTHING_BUILT, toBuild, toFailed, toLookups } from './large-build.ts';
import type { SourceDocument } from './types.ts';

/** Dependencies of a build besides documents, as texts to compare. */
interface Circumstances {
  readonly virtualHosts: string;
  readonly filesDir: string;
  readonly shield: string;
  readonly log: string;
  readonly addresses: string;
}

interface Memo {
  readonly built: BuiltDocument;
  /** The document itself first. */
  readonly lookups: readonly Lookup[];
  /** Those that were used. */
  readonly circumstances: Partial<Circumstances>;
}

/** Different nodes may need different forms of one document (file folders, addresses); further ones are not cached. */
const MEMOS_PER_DOCUMENT = 64;
const DOCUMENTS_MAX = 50_000;

/** Builds documents and caches the result: a thousand nodes of one service need one build and share the same bytes. */
export class BuildMemory {
  readonly #api: EnvoyApi;
  readonly #memos = new Map<DocumentKey, readonly Memo[]>();
  /** Documents with an interrupted build. */
  readonly #interrupted = new Set<DocumentKey>();
  readonly #charsMax: number | undefined;

  constructor(api: EnvoyApi, { buildsUpToChars }: { readonly buildsUpToChars?: number | undefined } = {}) {
    this.#api = api;
    this.#charsMax = buildsUpToChars;
  }

  /**
   * Returns the built document, from the cache if possible: the same object for all nodes with equal dependencies.
   * Throws `TurnIsOver`, and `LargeBuild`, whose outcome is cached as well.
   */
  build(document: SourceDocument, context: BuildContext, turn?: BuildTurn): BuiltDocument {
    const key = toDocumentKey(document.collection, document.name);
    if (!this.#api.hasMessage(document.type)) return unknownType(key, document.type, this.#api.version);
    const circumstances = circumstancesOf(document, context);
    const memos = this.#memos.get(key) ?? [];
    const known = memos.find((memo) => holds(memo, circumstances, context));
    if (known) return known.built;
    turn?.beforeBuild();
    const allowance = this.#charsMax === undefined ? undefined : new BuildAllowance(this.#charsMax);
    try {
      const made = toMemo(document, buildDocument(this.#api, document, { ...context, allowance }), circumstances);
      this.#keep(key, made);
      return made.built;
    } catch (error) {
      if (error instanceof AllowanceExceeded) throw this.#toLargeBuild(document, context, circumstances);
      throw error;
    }
  }

  forgetInterrupted(): void {
    for (const key of this.#interrupted) {
      const memos = this.#memos.get(key) ?? [];
      this.#memos.set(
        key,
        memos.filter(({ built }) => !wasInterrupted(built)),
      );
    }
    this.#interrupted.clear();
  }

  #toLargeBuild(document: SourceDocument, context: BuildContext, circumstances: Circumstances): LargeBuild {
    const { source, node, routesWithoutFilter } = context;
    const { collection, name } = document;
    const key = toDocumentKey(collection, name);
    const question: BuildQuestion = {
      document: key,
      virtualHosts: collection === 'routes' ? source.virtualHostsOf(name).map((host) => host.name) : [],
      node: { filesDir: node.filesDir, addresses: node.addresses, shield: node.shield, isLogged: node.isLogged },
      mayDoWithoutFilter: routesWithoutFilter.has(name),
    };
    return new LargeBuild(question, ({ documents, build, problem }) => {
      if (build) return this.#keep(key, toMemo(document, toBuild(build, documents), circumstances));
      if (problem.rule === 'document.build_interrupted') this.#interrupted.add(key);
      const built = toFailed(key, this.#memos.get(key)?.[0]?.built, { problem, documents });
      this.#keep(key, { built, lookups: toLookups(documents.keys(), documents), circumstances });
    });
  }

  #keep(key: DocumentKey, made: Memo): void {
    const memos = [made, ...(this.#memos.get(key) ?? [])].slice(0, MEMOS_PER_DOCUMENT);
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
    log: `${node.isLogged} ${node.shield !== undefined}`,
    addresses: node.addresses.join(),
  };
}

/** The filter-related dependencies of a document. */
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
      ...(build.usesLog && { log: now.log }),
      ...(build.usesAddresses && { addresses: now.addresses }),
    },
  };
}

function holds({ circumstances, lookups }: Memo, now: Circumstances, { source }: BuildContext): boolean {
  const { virtualHosts, filesDir, shield, log, addresses } = circumstances;
  return (
    virtualHosts === now.virtualHosts &&
    (filesDir === undefined || filesDir === now.filesDir) &&
    (shield === undefined || shield === now.shield) &&
    (log === undefined || log === now.log) &&
    (addresses === undefined || addresses === now.addresses) &&
    lookups.every(({ collection, name, document }) => document === source.get(collection, name))
  );
}

function wasInterrupted({ isFailed, errors }: BuiltDocument): boolean {
  return isFailed && errors.some(({ rule }) => rule === 'document.build_interrupted');
}

/** The document was stored with another set of descriptors. */
function unknownType(document: DocumentKey, type: string, version: string): BuiltDocument {
  const message = `Envoy ${version} knows no message ${type}`;
  return { ...NOTHING_BUILT, errors: [{ document, path: '', rule: 'unknown_message', message }] };
}
