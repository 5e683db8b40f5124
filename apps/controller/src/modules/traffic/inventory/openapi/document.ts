import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { OperationFacts } from './operation-facts.ts';
import { type PathTemplate, toPathTemplate } from './path-template.ts';
import { listSecuritySchemes, toSecurity } from './security.ts';

type Json = Readonly<Record<string, unknown>>;

export interface DocumentOptions {
  readonly projectName: string;
  readonly now: Date;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const STATUS = /^[1-5]\d\d$/;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['204', '205', '304']);
/** Segments that stand for what the inventory could not name. */
const UNNAMED = /(?:^|\/)\{(?:other|traversal)\}/;
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::\d{1,5})?$/;

interface Placed {
  readonly facts: OperationFacts;
  readonly template: PathTemplate;
}

/**
 * An OpenAPI 3.0.3 document of what was seen. Operations of several hosts at one path and method are one operation of the document, which names its
 * servers, because a path occurs only once. `x-flotilla-omitted` counts those that OpenAPI cannot express.
 */
export function createOpenapiDocument(operations: readonly OperationFacts[], options: DocumentOptions): Json {
  const shown = operations.filter(isExpressible);
  const byShape = Map.groupBy(
    shown.map((facts): Placed => ({ facts, template: toPathTemplate(facts.normalizedPath) })),
    ({ template }) => template.shape,
  );
  const ids = new Set<string>();
  const paths = [...byShape.values()]
    .toSorted(([a], [b]) => ((a?.template.path ?? '') < (b?.template.path ?? '') ? -1 : 1))
    .map((placed) => toPathItem(placed, ids));
  return {
    openapi: '3.0.3',
    info: {
      title: `API inventory of ${options.projectName}`,
      version: options.now.toISOString(),
      description:
        'Operations that were seen in traffic. Bodies are never recorded, so requests and answers have no schemas.',
    },
    servers: listServers(shown),
    paths: Object.fromEntries(paths),
    components: { securitySchemes: listSecuritySchemes(shown) },
    'x-flotilla-omitted': operations.length - shown.length,
  };
}

function isExpressible({ method, host, normalizedPath, isRpc }: OperationFacts): boolean {
  return (
    METHODS.has(method) && !isRpc && HOST.test(host) && normalizedPath.startsWith('/') && !UNNAMED.test(normalizedPath)
  );
}

/** Hosts with the schemes that their requests had. `https` if none is known. */
function listServers(operations: readonly OperationFacts[]): Json[] {
  const byHost = Map.groupBy(operations, ({ host }) => host);
  return [...byHost.keys()].toSorted().flatMap((host) => {
    const seen = new Set(byHost.get(host)?.flatMap(({ urlSchemes }) => urlSchemes));
    const schemes = seen.size === 0 ? ['https'] : [...seen].toSorted().toReversed();
    return schemes.map((scheme) => ({ url: `${scheme}://${host}` }));
  });
}

function toPathItem(placed: readonly Placed[], ids: Set<string>): [string, Json] {
  // Paths of one shape may have different placeholders: the names of the first one are those of all.
  const [first] = placed.toSorted((a, b) => (a.template.path < b.template.path ? -1 : 1));
  const template = first?.template ?? toPathTemplate('/');
  const byMethod = [...Map.groupBy(placed, ({ facts }) => facts.method)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const servers = listServers(placed.map(({ facts }) => facts));
  const operations = byMethod.map(([method, ofMethod]) => {
    const facts = ofMethod.map((one) => one.facts);
    const own = listServers(facts);
    const operation = toOperationObject(facts, { method, path: template.path, ids });
    return [
      method.toLowerCase(),
      isDeepStrictEqual(own, servers) ? operation : { ...operation, servers: own },
    ] as const;
  });
  const parameters = template.parameters.map(({ name }, i) => {
    const formats = new Set(placed.map((one) => one.template.parameters[i]?.format));
    const [format] = formats;
    const schema = { type: 'string', ...(formats.size === 1 && format !== undefined && { format }) };
    return { name, in: 'path', required: true, schema };
  });
  return [template.path, { servers, ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) }];
}

function toOperationObject(
  operations: readonly OperationFacts[],
  { method, path, ids }: { readonly method: string; readonly path: string; readonly ids: Set<string> },
): Json {
  const queryNames = [...new Set(operations.flatMap((one) => one.queryNames))].toSorted();
  const security = toSecurity(operations);
  const parameters = queryNames.map((name) => ({ name, in: 'query', required: false, schema: { type: 'string' } }));
  return {
    operationId: createOperationId(method, path, ids),
    summary: `${method} ${path}`,
    ...(parameters.length > 0 && { parameters }),
    responses: toResponses(operations),
    ...(security && { security }),
    'x-flotilla': operations.map(toExtension),
  };
}

function toResponses(operations: readonly OperationFacts[]): Json {
  const statuses = [...new Set(operations.flatMap((one) => one.statuses))].filter((code) => STATUS.test(code));
  if (statuses.length === 0) return { default: { description: 'No answer was seen.' } };
  const types = [...new Set(operations.flatMap((one) => one.contentTypes))]
    .filter((type) => MEDIA_TYPE.test(type))
    .toSorted();
  const content = types.length > 0 && { content: Object.fromEntries(types.map((type) => [type, {}])) };
  return Object.fromEntries(
    statuses.toSorted().map((code) => {
      const description = STATUS_CODES[code] ?? `Status ${code}`;
      // It is not recorded which answer had which type; errors rarely have that of a success.
      return [code, { description, ...(code.startsWith('2') && !WITHOUT_BODY.has(code) && content) }];
    }),
  );
}

function createOperationId(method: string, path: string, ids: Set<string>): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const base = [method.toLowerCase(), ...words].join('_');
  let id = base;
  for (let i = 2; ids.has(id); i += 1) id = `${base}_${i}`;
  ids.add(id);
  return id;
}

function toExtension(facts: OperationFacts): Json {
  return {
    id: facts.id,
    host: facts.host,
    normalized_path: facts.normalizedPath,
    seen_count: facts.seen,
    first_seen: facts.firstSeen,
    last_seen: facts.lastSeen,
    max_risk_score: facts.risk,
    max_posture_score: facts.postureRisk,
    risk_flags: facts.flags,
    pii_categories: facts.pii,
    endpoint_categories: facts.categories,
    auth_schemes: facts.schemes,
    auth_posture: facts.posture,
  };
}
