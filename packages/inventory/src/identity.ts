import type { Answer } from './answer.ts';
import { normalizeHost } from './host.ts';
import { Learner } from './learner.ts';
import { type Method, normalizeMethod } from './method.ts';
import { type NormalPath, normalizePath } from './path.ts';
import { isGraphqlPath, type Rpc, readGraphqlOperation, readGrpc } from './rpc.ts';
import { OperatorRules } from './rules.ts';
import type { RouteNames } from './served/route-names.ts';
import { TemplateIndex } from './template-index.ts';

/** One request, as a log entry describes it. */
export interface Request {
  readonly method: string;
  readonly authority: string;
  /** `:path`, with the query. */
  readonly path: string;
  readonly answer: Answer;
  /** The content type of the request, not of its answer. */
  readonly contentType?: string;
  /** From the headers of a GraphQL client. */
  readonly graphqlOperation?: string;
  /** Where it was served: see `toPlace`. Routes of other places say nothing about it. */
  readonly place?: string;
}

/** Where a normalized path comes from, the strongest source first. */
export type Source = 'route' | 'openapi' | 'rpc' | 'learned' | 'probe' | 'other';

/** Method, host and normalized path identify an operation, together with what the protocol adds. */
export interface Identity {
  readonly method: Method;
  readonly host: string;
  readonly normalizedPath: string;
  readonly source: Source;
  readonly rpc: Rpc | undefined;
}

/** A request as `Identifier` has read it. */
export interface ReadRequest {
  readonly method: Method;
  readonly host: string;
  readonly target: string;
  readonly path: NormalPath;
  /** The name that routes or documents give it. */
  readonly known: Pick<Identity, 'normalizedPath' | 'source'> | undefined;
  readonly rpc: Rpc | undefined;
  readonly graphqlOperation: string | undefined;
  /** The segments for the learner, after the rules; undefined if the request has a name without it. */
  readonly learned: readonly string[] | undefined;
}

/** The path of requests that are counted, but not known by name. */
export const OTHER_PATH = '/{other}';
export const TRAVERSAL_PATH = '/{traversal}';

export interface Knowledge {
  /** The routes that the proxies were given. */
  readonly routes?: RouteNames;
  readonly rules?: OperatorRules;
  /** Templates of uploaded documents. */
  readonly openApi?: TemplateIndex;
  /** Suffixes; none switches GraphQL off. */
  readonly graphqlPaths?: readonly string[];
}

const NO_TEMPLATES = new TemplateIndex([]);
const OPERATIONS_MAX = 200;

/**
 * Names the operation of each request. Sources, in order: routes, rules of operators (they turn segments into placeholders before anything else looks at
 * them), OpenAPI documents, detectors and what was learned.
 */
export class Identifier {
  readonly #routes: RouteNames | undefined;
  readonly #rules: OperatorRules;
  readonly #openApi: TemplateIndex;
  readonly #graphqlPaths: readonly string[];
  readonly #learner: Learner;
  readonly #operations = new Map<string, Set<string>>();

  constructor(
    { routes, rules = OperatorRules.NONE, openApi = NO_TEMPLATES, graphqlPaths = ['/graphql'] }: Knowledge = {},
    learner = new Learner(),
  ) {
    this.#routes = routes;
    this.#rules = rules;
    this.#openApi = openApi;
    this.#graphqlPaths = graphqlPaths;
    this.#learner = learner;
  }

  get learner(): Learner {
    return this.#learner;
  }

  /** Reads what does not change while learning goes on. A caller may keep it for further requests of the same target. */
  read(request: Omit<Request, 'answer'>): ReadRequest {
    const { path: target, contentType, graphqlOperation } = request;
    const [method, host] = [normalizeMethod(request.method), normalizeHost(request.authority)];
    const path = normalizePath(target);
    const known = path.isTraversal ? undefined : this.#known(request, { method, host, path });
    const isNamed = known !== undefined || path.isTraversal;
    const rpc = isNamed ? undefined : readGrpc(method, target, contentType);
    return {
      method,
      host,
      target,
      path,
      known,
      rpc,
      graphqlOperation,
      learned: isNamed || rpc !== undefined ? undefined : this.#applyRules(path.segments),
    };
  }

  /** Counts the request for what is learned. `identify` uses it after the next `learner.settle()`. */
  observe(request: Request): void {
    this.observeRead(this.read(request), request.answer);
  }

  /** Counts several requests that had the same answer. */
  observeRead({ method, host, learned }: ReadRequest, answer: Answer, count = 1): void {
    if (learned !== undefined) this.#learner.observe({ method, host, segments: learned, answer, count });
  }

  identify(request: Request): Identity {
    return this.identifyRead(this.read(request));
  }

  identifyRead({ method, host, target, path, known, rpc, learned, graphqlOperation }: ReadRequest): Identity {
    const identity = { method, host, rpc: undefined };
    if (known !== undefined) return { ...identity, ...known };
    if (path.isTraversal) return { ...identity, normalizedPath: TRAVERSAL_PATH, source: 'other' };
    if (rpc !== undefined) return { ...identity, normalizedPath: target, source: 'rpc', rpc };
    const found = this.#learner.find({ method, host, segments: learned ?? [] });
    const named = { ...identity, host: found.host, normalizedPath: found.path ?? OTHER_PATH, source: found.source };
    const isGraphql = found.source === 'learned' && isGraphqlPath(path.segments, this.#graphqlPaths);
    return isGraphql ? { ...named, rpc: this.#graphql(`${found.host}${found.path}`, graphqlOperation) } : named;
  }

  /** Rules of operators are stronger than documents: a segment that they name is not compared with literal text. */
  #known(
    request: Omit<Request, 'answer'>,
    { method, host, path: { segments, isTruncated } }: { method: Method; host: string; path: NormalPath },
  ): Pick<Identity, 'normalizedPath' | 'source'> | undefined {
    if (isTruncated) return undefined;
    const route = this.#routes?.find(request);
    if (route !== undefined) return { normalizedPath: route, source: 'route' };
    const document = this.#openApi.find(method, host, this.#applyRules(segments));
    return document === undefined ? undefined : { normalizedPath: document, source: 'openapi' };
  }

  #applyRules(segments: readonly string[]): readonly string[] {
    if (this.#rules.isEmpty) return segments;
    return segments.map((segment) => this.#rules.placeholderFor(segment) ?? segment);
  }

  /** Operations beyond the limit of an endpoint share one name. */
  #graphql(endpoint: string, name: string | undefined): Rpc {
    const rpc = readGraphqlOperation(name);
    if (rpc.protocol !== 'graphql') return rpc;
    const known = this.#operations.get(endpoint) ?? new Set();
    this.#operations.set(endpoint, known);
    if (known.has(rpc.operation) || known.size < OPERATIONS_MAX) known.add(rpc.operation);
    else return { protocol: 'graphql', operation: '(other)' };
    return rpc;
  }
}
