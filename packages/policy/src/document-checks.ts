import { parseDurationMs } from './duration.ts';
import { type DataFiles, isRecord } from './engines/engine-spec.ts';
import { ENGINE_NAMES, ENGINE_SPECS, isEngineName } from './engines/index.ts';
import { formatHostPattern, parseHostPattern } from './host.ts';
import { normalizePath } from './path.ts';
import { checkPlaceholders } from './placeholders.ts';
import type { Complaint, FieldPath } from './problem.ts';
import { findTemplateFault, templateKeyOf } from './route-template.ts';
import { policyDocumentSchema } from './schema.ts';
import { checkSchema, suggestName } from './schema-complaints.ts';
import { checkSubjectHeaders } from './subject-headers.ts';

const BODY_NOT_INSPECTED =
  'looks into request bodies: set inspect_request_body and max_request_body_bytes in spec.defaults';

/**
 * All checks of a single document. They run independently on the raw value, so that an error in one place does not hide
 * others.
 */
export function checkDocument(value: unknown, files?: DataFiles): Complaint[] {
  if (!isRecord(value)) return [{ path: [], rule: 'schema.type', message: 'must be a mapping' }];
  const spec = isRecord(value.spec) ? value.spec : {};
  const complaints = [...checkSchema(policyDocumentSchema, value), ...checkDefaults(spec.defaults)];
  const inspectsBody = isRecord(spec.defaults) && spec.defaults.inspect_request_body === true;
  for (const [index, domain] of listOf(spec.domains).entries()) {
    if (isRecord(domain)) complaints.push(...checkDomain(domain, ['spec', 'domains', index], { inspectsBody, files }));
  }
  return checkPlaceholders(value, complaints);
}

/** Every well-formed host entry with its place, in canonical form. */
export function listHosts(value: unknown): { host: string; path: FieldPath }[] {
  const spec = isRecord(value) && isRecord(value.spec) ? value.spec : {};
  return listOf(spec.domains).flatMap((domain, d) =>
    (isRecord(domain) ? listOf(domain.hosts) : []).flatMap((entry, h) => {
      const pattern = typeof entry === 'string' ? parseHostPattern(entry) : '';
      if (typeof pattern === 'string') return [];
      return [{ host: formatHostPattern(pattern), path: ['spec', 'domains', d, 'hosts', h] }];
    }),
  );
}

/** Bounds of a request's time budget; the maximum is below Envoy's timeout for the filter. */
const BUDGET_MIN_MS = 1;
const BUDGET_MAX_MS = 900;

function checkDefaults(defaults: unknown): Complaint[] {
  if (!isRecord(defaults)) return [];
  if (defaults.inspect_request_body === true && defaults.max_request_body_bytes === undefined) {
    const path = ['spec', 'defaults', 'inspect_request_body'];
    return [{ path, rule: 'body.cap_missing', message: 'needs max_request_body_bytes' }];
  }
  if (typeof defaults.timeout === 'string') {
    const ms = parseDurationMs(defaults.timeout);
    if (ms < BUDGET_MIN_MS || ms > BUDGET_MAX_MS) {
      const path = ['spec', 'defaults', 'timeout'];
      return [{ path, rule: 'defaults.timeout', message: 'must be from 1ms to 900ms: Envoy waits one second at most' }];
    }
  }
  return [];
}

/** Inputs for the checks of an engine block beyond the block itself. */
interface BlockSurroundings {
  readonly inspectsBody: boolean;
  /** Undefined if a document is checked without its bundle. */
  readonly files: DataFiles | undefined;
}

function checkDomain(
  domain: Readonly<Record<string, unknown>>,
  path: FieldPath,
  surroundings: BlockSurroundings,
): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [index, entry] of listOf(domain.hosts).entries()) {
    const pattern = typeof entry === 'string' ? parseHostPattern(entry) : undefined;
    if (typeof pattern === 'string') {
      complaints.push({ path: [...path, 'hosts', index], rule: 'host.invalid', message: pattern });
    }
  }
  complaints.push(...checkEngines(domain, path, surroundings), ...checkSubjectHeaders(domain, path));
  const firstIndex = new Map<string, number>();
  for (const [index, route] of listOf(domain.routes).entries()) {
    if (!isRecord(route)) continue;
    if (hasEngines(route)) complaints.push(...checkEngines(route, [...path, 'routes', index], surroundings));
    const place = [...path, 'routes', index, 'match'];
    complaints.push(
      ...checkMatch(route.match, place, (key) => {
        const first = firstIndex.get(key);
        if (first === undefined) firstIndex.set(key, index);
        return first;
      }),
    );
  }
  return complaints;
}

/** `enter` answers the index of an earlier route that matches the same paths. */
function checkMatch(match: unknown, path: FieldPath, enter: (key: string) => number | undefined): Complaint[] {
  if (!isRecord(match)) return [];
  const { path_prefix: prefix, path_template: template } = match;
  if (template === undefined && prefix === undefined) {
    return [{ path: [...path, 'path_prefix'], rule: 'schema.required', message: 'is required' }];
  }
  if (template !== undefined && prefix !== undefined) {
    const message = 'cannot be combined with path_prefix: give one of the two';
    return [{ path: [...path, 'path_template'], rule: 'route.two_matches', message, at: 'key' }];
  }
  const field = template === undefined ? 'path_prefix' : 'path_template';
  const text = match[field];
  if (typeof text !== 'string' || !text.startsWith('/')) return [];
  const place = [...path, field];
  const complaints: Complaint[] = [];
  if (field === 'path_template') {
    const message = findTemplateFault(text);
    if (message !== undefined) return [{ path: place, rule: 'route.template', message }];
  } else if (/[?#]/.test(text)) {
    complaints.push({ path: place, rule: 'route.prefix', message: 'must be a path without a query' });
  }
  const first = enter(field === 'path_template' ? templateKeyOf(text) : normalizePath(text));
  if (first === undefined) return complaints;
  const kind = field === 'path_template' ? 'template' : 'prefix';
  return [
    ...complaints,
    { path: place, rule: 'route.duplicate', message: `is the same ${kind} as that of routes[${first}]` },
  ];
}

function hasEngines({ policy }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(policy) && isRecord(policy.engines);
}

/** `path` is that of the domain or route with the engines. */
function checkEngines(
  { policy }: Readonly<Record<string, unknown>>,
  path: FieldPath,
  { inspectsBody, files }: BlockSurroundings,
): Complaint[] {
  if (!isRecord(policy) || !isRecord(policy.engines)) return [];
  return Object.entries(policy.engines).flatMap(([name, block]): Complaint[] => {
    const place = [...path, 'policy', 'engines', name];
    if (!isEngineName(name)) {
      const message = `is not an engine${suggestName(name, ENGINE_NAMES)}`;
      return [{ path: place, rule: 'schema.unknown_field', message, at: 'key' }];
    }
    if (block === null) return [];
    const spec = ENGINE_SPECS[name];
    const blind: Complaint[] =
      spec.needsBody === true && !inspectsBody
        ? [{ path: place, rule: 'body.not_inspected', message: BODY_NOT_INSPECTED, at: 'key' }]
        : [];
    const complaints = [...checkSchema(spec.schema, block), ...spec.check(block, files)];
    return [...blind, ...complaints.map((complaint) => ({ ...complaint, path: [...place, ...complaint.path] }))];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
