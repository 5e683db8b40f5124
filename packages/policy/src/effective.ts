import { readBlockContent } from './block-content.ts';
import { type BlockResponse, toBlockResponse } from './block-response.ts';
import { parseDurationMs } from './duration.ts';
import { type Edges, NO_EDGES } from './edges.ts';
import type { EngineBlock } from './engine-block.ts';
import { orderEngines } from './engine-order.ts';
import type { DataFiles } from './engines/engine-spec.ts';
import { ENGINE_NAMES, type EngineName } from './engines/index.ts';
import { formatHostPattern, type HostPattern, parseHostPattern } from './host.ts';
import { normalizePath } from './path.ts';
import { toTemplateName } from './route-template.ts';
import type { FailMode, PolicyBlock, PolicyDocument, PolicyMode } from './schema.ts';

/** The policy for a request, with everything inherited and defaulted. */
export interface EffectivePolicy {
  readonly mode: PolicyMode;
  readonly failMode: FailMode;
  /** In the order in which they decide. */
  readonly engines: readonly EngineBlock[];
  /** Maximum bytes of a request body that engines may ask for; 0 if bodies are not inspected. */
  readonly bodyMaxBytes: number;
  /**
   * Lowercase subject headers of engines elsewhere in the domain that this policy does not set. The upstream trusts
   * them for the whole domain, so they are removed from client requests here, too.
   */
  readonly withheldHeaders: readonly string[];
  /** Time that engines may spend on one request, in ms. Credential checks do not depend on it. */
  readonly budgetMs: number;
  /** Custom response for blocked clients; undefined for the default. */
  readonly blockResponse: BlockResponse | undefined;
  /** Listeners that the policy's author knows may forward connections without the filter. */
  readonly unguardedListeners: readonly string[];
  /** `metadata.name` of the document. */
  readonly policyName: string;
  /** The route's prefix as the router reads it, or the name of its template (`toTemplateName`); undefined for the domain's own policy. */
  readonly pathPrefix: string | undefined;
}

export interface EffectiveRoute {
  readonly pathPrefix: string;
  readonly policy: EffectivePolicy;
}

export interface EffectiveDomain {
  readonly hosts: readonly HostPattern[];
  /** Applies if no route matches. */
  readonly policy: EffectivePolicy;
  readonly routes: readonly EffectiveRoute[];
}

type EngineBlocks = { readonly [N in EngineName]?: Extract<EngineBlock, { readonly engine: N }> };

/** The settings of a domain or route, merged with what it inherits. */
interface FoldedPolicy {
  readonly mode: PolicyMode;
  readonly answer: PolicyBlock['block_response'];
  readonly blocks: EngineBlocks;
  readonly pathPrefix: string | undefined;
}

const BUDGET_DEFAULT_MS = 50;

/**
 * Merges defaults, domain and routes into effective policies, one domain at a time, so that the first of many can be
 * used early. The document must be valid, including its data files.
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
  const unguardedListeners = defaults.unguarded_listeners ?? [];
  const budgetMs = defaults.timeout === undefined ? BUDGET_DEFAULT_MS : parseDurationMs(defaults.timeout);
  for (const domain of domains) {
    const hosts = domain.hosts.map(requireHostPattern);
    const hostNames = hosts.map(formatHostPattern);
    const base = foldEngines({}, domain.policy, { hostNames, prefix: '', files, held });
    const baseMode = domain.policy?.mode ?? defaults.mode ?? 'block';
    const baseAnswer = domain.policy?.block_response ?? defaults.block_response;
    const routes = (domain.routes ?? []).map((route) => {
      const { path_prefix: prefix = '/', path_template: template } = route.match;
      const pathPrefix = template === undefined ? normalizePath(prefix) : toTemplateName(template);
      const blocks = foldEngines(base, route.policy, { hostNames, prefix: pathPrefix, files, held });
      const answer = route.policy.block_response ?? baseAnswer;
      return { mode: route.policy.mode ?? baseMode, answer, blocks, pathPrefix };
    });
    // Most routes inherit everything: what depends only on the blocks is derived once for all of them.
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
      unguardedListeners,
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

/** The headers in which the engines of these blocks pass the subject. */
function subjectHeadersOf(blocks: EngineBlocks): string[] {
  return [blocks.api_key?.options, blocks.jwt?.options].flatMap((options) =>
    options === undefined || options.subjectHeader === '' ? [] : [options.subjectHeader],
  );
}

function withhold(subjectHeaders: ReadonlySet<string>, blocks: EngineBlocks): readonly string[] {
  const own = subjectHeadersOf(blocks);
  return [...subjectHeaders].filter((header) => !own.includes(header)).sort();
}

/** The place of a block, and the files it may refer to. */
interface BlockPlace {
  readonly hostNames: readonly string[];
  /** The route's prefix; empty for a domain's own policy. */
  readonly prefix: string;
  readonly files: DataFiles;
  /** Number of proxies with the policy. */
  readonly held: number;
}

/**
 * A block replaces the inherited one, `null` removes it, an absent one keeps it. Returns the same object if nothing is
 * set.
 */
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
  // The table gives each name its own options type, which the compiler cannot infer from a variable name.
  const edges = 'share' in options && options.share === 'fleet' ? held : 1;
  return { engine, options, edges, carryKeys } as EngineBlock;
}

function requireHostPattern(entry: string): HostPattern {
  const pattern = parseHostPattern(entry);
  if (typeof pattern === 'string') throw new Error(`host ${entry} was not validated: ${pattern}`);
  return pattern;
}
