import type { EnvoyApi } from '@flotilla/envoy-api';
import { AllowanceExceeded, BuildAllowance } from './build-allowance.ts';
import type { BuildNode } from './build-context.ts';
import { type Build, type BuiltDocument, buildDocument } from './build-document.ts';
import { type DocumentKey, parseDocumentKey, toDocumentKey } from './documents/collections.ts';
import type { DocumentSource, SourceDocument } from './types.ts';

/** Documents by key; undefined for one that does not exist. */
export type KnownDocuments = ReadonlyMap<DocumentKey, SourceDocument | undefined>;

/** The build of one document as plain data, which can be requested from another process together with the documents. */
export interface BuildQuestion {
  readonly document: DocumentKey;
  /** For a route configuration: the sorted names of its virtual hosts. */
  readonly virtualHosts: readonly string[];
  readonly node: BuildNode;
  /** For a route configuration: whether it may disable the filter. */
  readonly mayDoWithoutFilter: boolean;
}

/** A build as plain data, with its lookups as keys. */
export interface PlainBuild extends Omit<Build, 'lookups'> {
  readonly lookups: readonly DocumentKey[];
}

export type BuildAnswer =
  | { readonly kind: 'built'; readonly build: PlainBuild }
  /** Repeat the question with these documents added, or with the fact that they do not exist. */
  | { readonly kind: 'missing'; readonly keys: readonly DocumentKey[] }
  /** The documents and their references exceed the limit. */
  | { readonly kind: 'too_large' };

/** Why a document could not be built; becomes the `rule` of the error. */
type BuildFailure = 'document.build_failed' | 'document.build_interrupted';

export interface BuildProblem {
  readonly rule: BuildFailure;
  /** Says what to do. */
  readonly message: string;
}

/**
 * Thrown during a translation: this build would take longer than a turn. The caller builds it elsewhere, passes in the
 * outcome, which is cached, and requests the translation again.
 */
export class LargeBuild extends Error {
  readonly question: BuildQuestion;
  readonly #settle: (outcome: LargeBuildOutcome) => void;

  constructor(question: BuildQuestion, settle: (outcome: LargeBuildOutcome) => void) {
    super(`${question.document} is too large to be built here`);
    this.question = question;
    this.#settle = settle;
  }

  /** Keys of the documents that the build needs first. */
  get keys(): DocumentKey[] {
    const { document, virtualHosts } = this.question;
    return [document, ...virtualHosts.map((name) => toDocumentKey('virtual_hosts', name))];
  }

  complete(build: PlainBuild, documents: KnownDocuments): void {
    this.#settle({ documents, build });
  }

  /** Keeps the last good version. */
  fail(problem: BuildProblem, documents: KnownDocuments): void {
    this.#settle({ documents, problem });
  }
}

/** `documents` are those that the build got. */
type LargeBuildOutcome = { readonly documents: KnownDocuments } & (
  | { readonly build: PlainBuild; readonly problem?: never }
  | { readonly problem: BuildProblem; readonly build?: never }
);

/** Builds like a translation does for a small document. `charsMax` limits the total size. */
export function answerBuild(
  api: EnvoyApi,
  question: BuildQuestion,
  { documents, charsMax }: { readonly documents: KnownDocuments; readonly charsMax: number },
): BuildAnswer {
  const missing = new Set<DocumentKey>();
  const find = (key: DocumentKey) => {
    if (!documents.has(key)) missing.add(key);
    return documents.get(key);
  };
  const hosts = question.virtualHosts.flatMap((name) => find(toDocumentKey('virtual_hosts', name)) ?? []);
  const document = find(question.document);
  if (missing.size > 0) return { kind: 'missing', keys: [...missing] };
  if (!document) throw new Error(`${question.document} does not exist`);
  const source: DocumentSource = {
    get: (collection, name) => find(toDocumentKey(collection, name)),
    virtualHostsOf: () => hosts,
  };
  const routesWithoutFilter = new Set(question.mayDoWithoutFilter ? [document.name] : []);
  try {
    const allowance = new BuildAllowance(charsMax);
    const build = buildDocument(api, document, { source, node: question.node, routesWithoutFilter, allowance });
    if (missing.size > 0) return { kind: 'missing', keys: [...missing] };
    return { kind: 'built', build: toPlain(build) };
  } catch (error) {
    if (error instanceof AllowanceExceeded) return { kind: 'too_large' };
    throw error;
  }
}

function toPlain(build: Build): PlainBuild {
  const keys = build.lookups.map(({ collection, name }) => toDocumentKey(collection, name));
  return { ...build, lookups: [...new Set(keys)] };
}

export function toBuild({ lookups, ...build }: PlainBuild, documents: KnownDocuments): Build {
  return { ...build, lookups: toLookups(lookups, documents) };
}

export function toLookups(keys: Iterable<DocumentKey>, documents: KnownDocuments): Build['lookups'] {
  return [...keys].flatMap((key) => {
    const parsed = parseDocumentKey(key);
    return parsed ? [{ ...parsed, document: documents.get(key) }] : [];
  });
}

/** The withheld replacement of a document that could not be built; `last` is its last good build, if any. */
export function toFailed(
  document: DocumentKey,
  last: BuiltDocument | undefined,
  { problem, documents }: { readonly problem: BuildProblem; readonly documents: KnownDocuments },
): BuiltDocument {
  return {
    ...(last ?? NOTHING_BUILT),
    bytes: undefined,
    isWithheld: true,
    isFailed: true,
    // A change of any of them may help.
    parts: [...new Set([...(last?.parts ?? []), ...documents.keys()])],
    errors: [{ ...problem, document, path: '' }],
  };
}

export const NOTHING_BUILT: BuiltDocument = {
  bytes: undefined,
  isWithheld: false,
  isFailed: false,
  bootstrap: undefined,
  references: [],
  errors: [],
  parts: [],
  hostsBeside: [],
  hasConnectionManager: false,
  hasLog: false,
  ports: [],
  managers: [],
  unasked: undefined,
};
