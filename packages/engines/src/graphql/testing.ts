import type { FieldCost, GraphqlOptions } from '@flotilla/policy';
import {
  type DefinitionNode,
  type DirectiveNode,
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
import { FieldCosts } from './document/field-costs.ts';
import { COUNT_MAX, type Measure, Measurer } from './document/measure.ts';
import { DEFINITION, DEFINITION_SIZE, Outline } from './document/outline.ts';
import { createGraphqlEngine } from './graphql-engine.ts';

const PARSER = new DocumentParser();
const OUTLINE = new Outline();
const MEASURER = new Measurer();
const SOURCE = new DocumentSource();

/** Totals of one operation; `cycle` if a fragment leads back to itself. */
export type Counts = Measure | 'cycle';

/** Our counts of every operation; undefined if we see no document. */
export function measureDocument(document: string | Buffer, costs: readonly FieldCost[] = COSTS): Counts[] | undefined {
  SOURCE.setBytes(typeof document === 'string' ? Buffer.from(document) : document);
  if (!PARSER.parse(SOURCE, OUTLINE, UNLIMITED, new FieldCosts(costs))) return undefined;
  MEASURER.begin(OUTLINE, SOURCE.bytes, UNLIMITED, true);
  const counts: Counts[] = [];
  for (let index = 0; index < OUTLINE.definitionCount; index++) {
    if (OUTLINE.definitions.values[index * DEFINITION_SIZE + DEFINITION.isFragment] === 1) continue;
    MEASURER.measureOperation(index);
    counts.push(MEASURER.measure.fragmentDepth === COUNT_MAX ? 'cycle' : { ...MEASURER.measure });
  }
  MEASURER.end();
  return counts;
}

/** Costs for names that generated documents have, and for some that every object has. */
export const COSTS: readonly FieldCost[] = [
  ['__proto__', 1_000_000],
  ['a', 0],
  ['b', 7],
  ['constructor', 11],
  ['x1', 1_000_000],
];

/** The same, from the reference parser and a walk that expands every spread in place. */
export function measureByReference(
  document: string | Buffer,
  costs: readonly FieldCost[] = COSTS,
): Counts[] | undefined {
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
  const reference = { fragments, costs: new Map(costs) };
  return definitions
    .filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)
    .map((node) => {
      const inner = walk(node.selectionSet, 1, [], reference);
      if (inner === undefined) return 'cycle';
      const directives = [node, ...(node.variableDefinitions ?? [])].flatMap((each) => each.directives ?? []);
      return sumOf(inner, directivesOf(directives));
    });
}

interface Reference {
  readonly fragments: ReadonlyMap<string, readonly FragmentDefinitionNode[]>;
  readonly costs: ReadonlyMap<string, number>;
}

function walk(
  set: SelectionSetNode,
  depth: number,
  path: readonly string[],
  reference: Reference,
): Measure | undefined {
  let sum: Measure = { ...NOTHING, depth };
  for (const node of set.selections) {
    sum.complexity++;
    let inner: Measure | undefined = NOTHING;
    if (node.kind === Kind.FIELD) {
      sum.fields++;
      sum.cost += reference.costs.get(node.name.value) ?? 1;
      sum.arguments += node.arguments?.length ?? 0;
      if (depth === 1) sum.rootFields++;
      if (node.alias !== undefined && node.alias.value !== node.name.value) sum.aliases++;
      if (node.name.value === '__schema' || node.name.value === '__type') sum.isIntrospective = true;
      if (node.selectionSet !== undefined) inner = walk(node.selectionSet, depth + 1, path, reference);
    } else if (node.kind === Kind.INLINE_FRAGMENT) inner = walk(node.selectionSet, depth, path, reference);
    else {
      const name = node.name.value;
      if (path.includes(name)) return undefined;
      const each = (reference.fragments.get(name) ?? []).map((one) => {
        const counts = walk(one.selectionSet, depth, [...path, name], reference);
        return counts && sumOf(counts, directivesOf(one.directives ?? []));
      });
      inner = each.reduce(most, NOTHING);
      if (inner !== undefined) inner = { ...inner, fragmentDepth: inner.fragmentDepth + 1 };
    }
    if (inner === undefined) return undefined;
    sum = sumOf(sumOf(sum, inner), directivesOf(node.directives ?? []));
  }
  return sum;
}

/** The counts of the directives themselves. */
function directivesOf(nodes: readonly DirectiveNode[]): Measure {
  return {
    ...NOTHING,
    directives: nodes.length,
    arguments: nodes.reduce((sum, node) => sum + (node.arguments?.length ?? 0), 0),
    isIncremental: nodes.some((node) => node.name.value === 'defer' || node.name.value === 'stream'),
  };
}

const NOTHING: Measure = {
  complexity: 0,
  fields: 0,
  rootFields: 0,
  aliases: 0,
  depth: 0,
  fragmentDepth: 0,
  isIntrospective: false,
  directives: 0,
  arguments: 0,
  isIncremental: false,
  cost: 0,
};

function sumOf(a: Measure, b: Measure): Measure {
  return {
    complexity: a.complexity + b.complexity,
    fields: a.fields + b.fields,
    rootFields: a.rootFields + b.rootFields,
    aliases: a.aliases + b.aliases,
    depth: Math.max(a.depth, b.depth),
    fragmentDepth: Math.max(a.fragmentDepth, b.fragmentDepth),
    isIntrospective: a.isIntrospective || b.isIntrospective,
    directives: a.directives + b.directives,
    arguments: a.arguments + b.arguments,
    isIncremental: a.isIncremental || b.isIncremental,
    cost: a.cost + b.cost,
  };
}

/** The maximum of each number; undefined if one is undefined. */
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
    directives: Math.max(a.directives, b.directives),
    arguments: Math.max(a.arguments, b.arguments),
    isIncremental: a.isIncremental || b.isIncremental,
    cost: Math.max(a.cost, b.cost),
  };
}

/** Disables everything that a policy can disable. */
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
  blockUpgrades: undefined,
  maxFragmentDepth: 32,
  maxComplexity: 100_000,
  maxDirectives: 0,
  maxArguments: 0,
  blockIncremental: false,
  maxCost: 0,
  fieldCosts: [],
  trustedDocuments: null,
};

export interface GraphqlRequest {
  readonly method?: string;
  /** Path and query. */
  readonly target?: string;
  /** Values of the header `content-type`. */
  readonly types?: readonly string[];
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
}

/** The reason that blocks a request in its header or body phase, or `allow`; `unseen` if nobody requests the body. */
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
