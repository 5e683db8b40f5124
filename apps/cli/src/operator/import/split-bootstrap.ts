import { nameSchema } from '@flotilla/contract';

type JsonObject = Record<string, unknown>;

export interface ImportedConfiguration {
  /** Documents and one service, in the order in which they are applied. */
  readonly manifests: readonly JsonObject[];
  /** Fields of the file that the controller sets: `node`, `admin`, `dynamic_resources`. */
  readonly leftOut: readonly string[];
  readonly problems: readonly ImportProblem[];
}

export interface ImportProblem {
  /** For example `static_resources.clusters[2].name`. */
  readonly path: string;
  readonly message: string;
}

/** The controller sets these fields for every proxy. */
const SET_BY_CONTROLLER = ['node', 'admin', 'dynamic_resources'] as const;
const COLLECTIONS = ['secrets', 'clusters', 'listeners'] as const;

export function isBootstrap(value: JsonObject): boolean {
  return ['static_resources', ...SET_BY_CONTROLLER].some((field) => read(value, field) !== undefined);
}

/**
 * Splits an envoy.yaml into documents: one for each listener, cluster and secret, a bootstrap with the remaining fields, and a
 * service that uses them. Does not change the Envoy messages.
 */
export function splitBootstrap(
  bootstrap: JsonObject,
  { name, version }: { readonly name: string; readonly version: string },
): ImportedConfiguration {
  const problems: ImportProblem[] = [];
  const staticResources = read(bootstrap, 'static_resources');
  const documents: JsonObject[] = [];
  const listeners: string[] = [];
  for (const collection of COLLECTIONS) {
    for (const [i, resource] of toList(staticResources, collection).entries()) {
      const given = resource.name ?? (collection === 'listeners' ? `${name}-${i + 1}` : undefined);
      const valid = nameSchema.safeParse(given);
      if (!valid.success) {
        problems.push({ path: `static_resources.${collection}[${i}].name`, message: describeName(given) });
        continue;
      }
      if (collection === 'listeners') listeners.push(valid.data);
      documents.push({ collection, name: valid.data, version, resource });
    }
  }
  const service = { kind: 'Service', name, version, bootstrap: name, listeners };
  const rest = { collection: 'bootstrap', name, version, resource: withoutOwned(bootstrap) };
  const leftOut = SET_BY_CONTROLLER.filter((field) => read(bootstrap, field) !== undefined);
  return { manifests: [...documents, rest, service], leftOut, problems };
}

function describeName(given: unknown): string {
  if (given === undefined) return 'is missing';
  return `${JSON.stringify(given)} cannot be the name of a document: letters, digits, dots, dashes and underscores only. Rename it and all references to it`;
}

/** Removes the fields that became documents or are set by the controller. `static_resources` has no other fields. */
function withoutOwned(bootstrap: JsonObject): JsonObject {
  const owned = new Set(['static_resources', ...SET_BY_CONTROLLER].flatMap((field) => [field, toCamelCase(field)]));
  return Object.fromEntries(Object.entries(bootstrap).filter(([field]) => !owned.has(field)));
}

function toList(parent: unknown, field: string): JsonObject[] {
  const list = isObject(parent) ? read(parent, field) : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Reads a field in snake_case or camelCase, because Envoy accepts both. */
function read(object: JsonObject, field: string): unknown {
  return object[field] ?? object[toCamelCase(field)];
}

function toCamelCase(field: string): string {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
