import { readBlockContent } from './block-content.ts';
import { type BlockResponse, toBlockResponse } from './block-response.ts';
import { parseDurationMs } from './duration.ts';
import { type Edges, NO_EDGES } from './edges.ts';
import { orderEngines } from './engine-order.ts';
import type { DataFiles } from './engines/engine-spec.ts';
import { ENGINE_NAMES, type EngineName, type EngineOptions } from './engines/index.ts';
import { formatHostPattern, type HostPattern, parseHostPattern } from './host.ts';
import { normalizePath } from './path.ts';
import type { FailMode, PolicyBlock, PolicyDocument, PolicyMode } from './schema.ts';

/**
 * One engine block as written in one place. Identity is meaning: policies that inherit a block hold the same object and
 * share its state (one limiter); a block written elsewhere is another object, also when its text is equal.
 */
export type EngineBlock = {
  readonly [N in EngineName]: {
    readonly engine: N;
    readonly options: EngineOptions[N];
    /** Proxies that share a limit of this block; 1 where it does not ask for it. No part of `carryKeys`. */
    readonly edges: number;
    /**
     * Names of this block that outlive a reload: engine, content, and the place, once per host of its domain. A block
     * of a newer bundle that has one of them is the same block, unchanged.
     */
    readonly carryKeys: readonly string[];
  };
}[EngineName];

/** What holds for a request, everything inherited and defaulted. */
export interface EffectivePolicy {
  readonly mode: PolicyMode;
  readonly failMode: FailMode;
  /** In the order in which they decide. */
  readonly engines: readonly EngineBlock[];
  /** Bytes of a request body that engines may ask for; 0 where bodies are not inspected. */
  readonly bodyMaxBytes: number;
  /**
   * Headers, lowercase, in which engines elsewhere in the domain tell the subject and none of this policy does. The upstream
   * believes them for the whole domain, so what a client sends under these names goes here, too.
   */
  readonly withheldHeaders: readonly string[];
  /** Time that engines may spend on one request, in ms. Verdicts on credentials do not depend on it. */
  readonly budgetMs: number;
  /** What blocked clients get; undefined where it is what the specification says. */
  readonly blockResponse: BlockResponse | undefined;
  /** `metadata.name` of the document it comes from. */
  readonly policyName: string;
  /** The route's prefix in the router's reading; undefined for the domain's own policy. */
  readonly pathPrefix: string | undefined;
}

export interface EffectiveRoute {
  readonly pathPrefix: string;
  readonly policy: EffectivePolicy;
}

export interface EffectiveDomain {
  readonly hosts: readonly HostPattern[];
  /** Applies where no route matches. */
  readonly policy: EffectivePolicy;
  readonly routes: readonly EffectiveRoute[];
}

type EngineBlocks = { readonly [N in EngineName]?: Extract<EngineBlock, { readonly engine: N }> };

/** What is written for a place, folded with what it inherits. */
interface FoldedPolicy {
  readonly mode: PolicyMode;
  readonly answer: PolicyBlock['block_response'];
  readonly blocks: EngineBlocks;
  readonly pathPrefix: string | undefined;
}

const BUDGET_DEFAULT_MS = 50;

/**
 * Folds defaults, domain and routes into effective policies, one domain at a time: of many, the first are of use before the
 * last are made. The document must be valid, also against the data files.
 */
export function* deriveDomains(
  document: PolicyDocument,
  files: DataFiles,
  edges: Edges = NO_EDGES,
): Generator<EffectiveDomain, void> {
  const held = edges.get(document.metadata.name) ?? 1;
  const { defaults = {}, domains } = document.spec;
  const failMode = defaults.fail_mode ?? 'fail_close';
  const bodyMaxBytes = defaults.inspect_request_body === true ? (defaults.max_request_body_bytes ?? 0) : 0;
  const budgetMs = defaults.timeout === undefined ? BUDGET_DEFAULT_MS : parseDurationMs(defaults.timeout);
  for (const domain of domains) {
    const hosts = domain.hosts.map(requireHostPattern);
    const hostNames = hosts.map(formatHostPattern);
    const base = foldEngines({}, domain.policy, { hostNames, prefix: '', files, held });
    const baseMode = domain.policy?.mode ?? defaults.mode ?? 'block';
    const baseAnswer = domain.policy?.block_response ?? defaults.block_response;
    const routes = (domain.routes ?? []).map((route) => {
      const pathPrefix = normalizePath(route.match.path_prefix);
      const blocks = foldEngines(base, route.policy, { hostNames, prefix: pathPrefix, files, held });
      const answer = route.policy.block_response ?? baseAnswer;
      return { mode: route.policy.mode ?? baseMode, answer, blocks, pathPrefix };
    });
    // Most routes inherit everything: what depends on the blocks alone is derived once for all of these.
    const distinct = new Set([base, ...routes.map(({ blocks }) => blocks)]);
    const subjectHeaders = new Set([...distinct].flatMap(subjectHeadersOf));
    const engines = new Map([...distinct].map((blocks) => [blocks, listEngines(blocks)]));
    const toPolicy = ({ mode, answer, blocks, pathPrefix }: FoldedPolicy): EffectivePolicy => ({
      mode,
      failMode,
      engines: engines.get(blocks) ?? listEngines(blocks),
      bodyMaxBytes,
      withheldHeaders: subjectHeaders.size === 0 ? NO_HEADERS : withhold(subjectHeaders, blocks),
      budgetMs,
      blockResponse: toBlockResponse(answer),
      policyName: document.metadata.name,
      pathPrefix,
    });
    yield {
      hosts,
      policy: toPolicy({ mode: baseMode, answer: baseAnswer, blocks: base, pathPrefix: undefined }),
      routes: routes.map((route) => ({ pathPrefix: route.pathPrefix, policy: toPolicy(route) })),
    };
  }
}

const NO_HEADERS: readonly string[] = [];

function listEngines(blocks: EngineBlocks): readonly EngineBlock[] {
  return orderEngines(ENGINE_NAMES.flatMap((name) => blocks[name] ?? []));
}

/** Headers in which the engines of these blocks tell the subject. */
function subjectHeadersOf(blocks: EngineBlocks): string[] {
  return [blocks.api_key?.options, blocks.jwt?.options].flatMap((options) =>
    options === undefined || options.subjectHeader === '' ? [] : [options.subjectHeader],
  );
}

function withhold(subjectHeaders: ReadonlySet<string>, blocks: EngineBlocks): readonly string[] {
  const own = subjectHeadersOf(blocks);
  return [...subjectHeaders].filter((header) => !own.includes(header)).sort();
}

/** Where a block is written, and what it may name. */
interface BlockPlace {
  readonly hostNames: readonly string[];
  /** Of the route; empty for a domain's own policy. */
  readonly prefix: string;
  readonly files: DataFiles;
  /** Proxies that hold the policy. */
  readonly held: number;
}

/** A block of its own replaces the inherited one, `null` drops it, an absent one keeps it. The same object where nothing is written. */
function foldEngines(inherited: EngineBlocks, policy: PolicyBlock | undefined, place: BlockPlace): EngineBlocks {
  if (policy?.engines === undefined) return inherited;
  const blocks: Record<string, EngineBlock | undefined> = { ...inherited };
  for (const name of ENGINE_NAMES) {
    const written = policy.engines[name];
    if (written === null) blocks[name] = undefined;
    else if (written !== undefined) blocks[name] = createBlock(name, written, place);
  }
  return blocks;
}

function createBlock(
  engine: EngineName,
  written: unknown,
  { hostNames, prefix, files, held }: BlockPlace,
): EngineBlock {
  const { options, digest } = readBlockContent(engine, written, files);
  const carryKeys = hostNames.map((host) => `${engine}\n${digest}\n${host}\n${prefix}`);
  // The table gives each name its own options type; the compiler cannot follow that through a variable name.
  const edges = 'share' in options && options.share === 'fleet' ? held : 1;
  return { engine, options, edges, carryKeys } as EngineBlock;
}

function requireHostPattern(entry: string): HostPattern {
  const pattern = parseHostPattern(entry);
  if (typeof pattern === 'string') throw new Error(`host ${entry} was not validated: ${pattern}`);
  return pattern;
}
