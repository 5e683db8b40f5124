import type { GraphqlOptions } from '@flotilla/policy';
import {
  type DefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { UNLIMITED } from '../budget.ts';
import type { RequestView } from '../engine.ts';
import { createTestRequest } from '../testing.ts';
import { DocumentParser } from './document/document-parser.ts';
import { DocumentSource } from './document/document-source.ts';
import { COUNT_MAX, type Measure, Measurer } from './document/measure.ts';
import { DEFINITION, DEFINITION_SIZE, Outline } from './document/outline.ts';
import { createGraphqlEngine } from './graphql-engine.ts';

const PARSER = new DocumentParser();
const OUTLINE = new Outline();
const MEASURER = new Measurer();
const SOURCE = new DocumentSource();

/** What one operation comes to; `cycle` where a fragment leads back to itself. */
export type Counts = Measure | 'cycle';

/** Our counts of every operation, or undefined where we see no document. */
export function measureDocument(document: string | Buffer): Counts[] | undefined {
  SOURCE.setBytes(typeof document === 'string' ? Buffer.from(document) : document);
  if (!PARSER.parse(SOURCE, OUTLINE, UNLIMITED)) return undefined;
  MEASURER.begin(OUTLINE, SOURCE.bytes, UNLIMITED);
  const counts: Counts[] = [];
  for (let index = 0; index < OUTLINE.definitionCount; index++) {
    if (OUTLINE.definitions.values[index * DEFINITION_SIZE + DEFINITION.isFragment] === 1) continue;
    MEASURER.measureOperation(index);
    counts.push(MEASURER.measure.fragmentDepth === COUNT_MAX ? 'cycle' : { ...MEASURER.measure });
  }
  MEASURER.end();
  return counts;
}

/** The same by the reference parser and a walk that expands every spread where it stands. */
export function measureByReference(document: string | Buffer): Counts[] | undefined {
  let definitions: readonly DefinitionNode[];
  try {
    definitions = parse(document.toString('utf8'), { noLocation: true, maxTokens: 100_000 }).definitions;
  } catch {
    return undefined;
  }
  const fragments = new Map<string, FragmentDefinitionNode[]>();
  for (const node of definitions) {
    if (node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragments.set(node.name.value, [...(fragments.get(node.name.value) ?? []), node]);
  }
  return definitions
    .filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => walk(node.selectionSet, 1, [], fragments) ?? 'cycle');
}

function walk(
  set: SelectionSetNode,
  depth: number,
  path: readonly string[],
  fragments: ReadonlyMap<string, readonly FragmentDefinitionNode[]>,
): Measure | undefined {
  let sum: Measure = { ...NOTHING, depth };
  for (const node of set.selections) {
    sum.complexity++;
    let inner: Measure | undefined = NOTHING;
    if (node.kind === Kind.FIELD) {
      sum.fields++;
      if (depth === 1) sum.rootFields++;
      if (node.alias !== undefined && node.alias.value !== node.name.value) sum.aliases++;
      if (node.name.value === '__schema' || node.name.value === '__type') sum.isIntrospective = true;
      if (node.selectionSet !== undefined) inner = walk(node.selectionSet, depth + 1, path, fragments);
    } else if (node.kind === Kind.INLINE_FRAGMENT) inner = walk(node.selectionSet, depth, path, fragments);
    else {
      const name = node.name.value;
      if (path.includes(name)) return undefined;
      const each = (fragments.get(name) ?? []).map((one) => walk(one.selectionSet, depth, [...path, name], fragments));
      inner = each.reduce(most, NOTHING);
      if (inner !== undefined) inner = { ...inner, fragmentDepth: inner.fragmentDepth + 1 };
    }
    if (inner === undefined) return undefined;
    sum = {
      complexity: sum.complexity + inner.complexity,
      fields: sum.fields + inner.fields,
      rootFields: sum.rootFields + inner.rootFields,
      aliases: sum.aliases + inner.aliases,
      depth: Math.max(sum.depth, inner.depth),
      fragmentDepth: Math.max(sum.fragmentDepth, inner.fragmentDepth),
      isIntrospective: sum.isIntrospective || inner.isIntrospective,
    };
  }
  return sum;
}

const NOTHING: Measure = {
  complexity: 0,
  fields: 0,
  rootFields: 0,
  aliases: 0,
  depth: 0,
  fragmentDepth: 0,
  isIntrospective: false,
};

/** Number by number, the larger; undefined where there is none. */
function most(a: Measure | undefined, b: Measure | undefined): Measure | undefined {
  if (a === undefined || b === undefined) return undefined;
  return {
    complexity: Math.max(a.complexity, b.complexity),
    fields: Math.max(a.fields, b.fields),
    rootFields: Math.max(a.rootFields, b.rootFields),
    aliases: Math.max(a.aliases, b.aliases),
    depth: Math.max(a.depth, b.depth),
    fragmentDepth: Math.max(a.fragmentDepth, b.fragmentDepth),
    isIntrospective: a.isIntrospective || b.isIntrospective,
  };
}

/** Everything off but what no policy can switch off. */
export const NO_LIMITS: GraphqlOptions = {
  contentTypes: ['application/json', 'application/graphql'],
  paths: [],
  anyMethod: false,
  maxDepth: 0,
  maxAliases: 0,
  maxRootFields: 0,
  maxTotalFields: 0,
  maxOperations: 0,
  blockIntrospection: false,
  blockUpgrades: false,
  maxFragmentDepth: 32,
  maxComplexity: 100_000,
};

export interface GraphqlRequest {
  readonly method?: string;
  /** Path and query. */
  readonly target?: string;
  /** Lines of the header `content-type`. */
  readonly types?: readonly string[];
  /** Further headers. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** The reason that stops a request in its header or its body phase, or `allow`; `unseen` when nobody asks for the body. */
export function decideRequest(options: Partial<GraphqlOptions>, request: GraphqlRequest): string {
  const engine = createGraphqlEngine({ ...NO_LIMITS, ...options });
  const { method = 'POST', target = '/graphql', types = ['application/json'], headers: more = [], body } = request;
  const headers = [...types.map((type) => ['content-type', type] as const), ...more];
  const view: RequestView = { ...createTestRequest({ target, headers }), method };
  const verdict = engine.decide(view, UNLIMITED);
  if (verdict.kind === 'block') return verdict.reason.slice('graphql.'.length);
  if (body === undefined) return 'allow';
  if (engine.body?.wants(view) !== true) return 'unseen';
  const bodyVerdict = engine.body.decide(view, typeof body === 'string' ? Buffer.from(body) : body, UNLIMITED);
  return bodyVerdict.kind === 'block' ? bodyVerdict.reason.slice('graphql.'.length) : 'allow';
}
