import { OTHER_PATH, TRAVERSAL_PATH } from './identity.ts';
import type { Learner } from './learner.ts';
import { normalizeMethod } from './method.ts';
import { OperatorRules } from './rules.ts';
import type { RouteNames } from './served/route-names.ts';
import type { TemplateIndex } from './template-index.ts';

/** A stored operation, as far as its name is concerned. */
export interface NamedOperation {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Where it was served: see `toPlace`. */
  readonly places: readonly string[];
  /** gRPC and GraphQL name their operations themselves. */
  readonly isNamedByProtocol: boolean;
}

/**
 * stays    its requests still have this name, or nothing better is known
 * moves    all its requests have another name now
 * splits   its requests have several names now. Which part of the counts belongs to which one is not known: the operation stays, and new requests are
 *          counted under their new names
 */
export type Renaming =
  | { readonly kind: 'stays' }
  | { readonly kind: 'moves'; readonly path: string }
  | { readonly kind: 'splits'; readonly paths: readonly string[] };

export interface NamingKnowledge {
  readonly routes?: RouteNames | undefined;
  readonly rules?: OperatorRules | undefined;
  readonly openApi?: TemplateIndex | undefined;
  readonly learner?: Learner | undefined;
}

const STAYS: Renaming = { kind: 'stays' };
const PLACES_MAX = 64;
const SPLIT_NAMES_MAX = 8;
/** Values that stand for a placeholder when routes are asked. No real route names one of them. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  '{id}': ['7305918264'],
  '{uuid}': ['5f0c1e6a-7b3d-4c55-9a10-7305918264aa'],
  '{objectid}': ['5f0c1e6a7b3d4c559a107305'],
  '{ulid}': ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
};
const ANY_SAMPLES = ['7305918264', 'zqxkvw'];

/**
 * Names stored operations again by what is known now. A stored name may be a path or a template: the requests behind it are gone. A template is only moved if
 * everything it may stand for has one name.
 */
export class Renamer {
  readonly #knowledge: NamingKnowledge;
  readonly #rules: OperatorRules;

  constructor(knowledge: NamingKnowledge) {
    this.#knowledge = knowledge;
    this.#rules = knowledge.rules ?? OperatorRules.NONE;
  }

  rename(operation: NamedOperation): Renaming {
    const renaming = this.#renameOnce(operation);
    if (renaming.kind !== 'moves') return renaming;
    // A name that would change again is no place to move to: the next run would move it on, or back.
    const next = this.#renameOnce({ ...operation, path: renaming.path });
    return next.kind === 'stays' ? renaming : STAYS;
  }

  #renameOnce(operation: NamedOperation): Renaming {
    const { path, host } = operation;
    if (operation.isNamedByProtocol || path === OTHER_PATH || path === TRAVERSAL_PATH || host.startsWith('{'))
      return STAYS;
    return this.#byRoutes(operation) ?? this.#byDocuments(operation) ?? this.#byLearning(operation);
  }

  #byRoutes(operation: NamedOperation): Renaming | undefined {
    const { routes } = this.#knowledge;
    if (routes === undefined) return undefined;
    const places = operation.places.filter((place) => routes.hasPlace(place)).slice(0, PLACES_MAX);
    const names = new Set<string | undefined>();
    for (const place of places)
      for (const path of samplesOf(operation.path))
        for (const name of this.#namesAt(routes, { ...operation, path, place })) names.add(name);
    if (names.size === 0 || (names.size === 1 && names.has(undefined))) return undefined;
    return toRenaming(operation, names, () => {
      const all = places.flatMap((place) => [
        ...routes.listCovered({ ...operation, authority: operation.host, place }),
      ]);
      return new Set(all);
    });
  }

  /** The stored host has no default port, which domains of routes may have. */
  #namesAt(
    routes: RouteNames,
    { method, host, path, place }: Omit<NamedOperation, 'places'> & { readonly place: string },
  ): readonly (string | undefined)[] {
    const hosts = /:\d+$/.test(host) ? [host] : [host, `${host}:443`, `${host}:80`];
    for (const authority of hosts) {
      const name = routes.find({ method, authority, path, place });
      if (name !== undefined) return [name];
    }
    return [undefined];
  }

  #byDocuments(operation: NamedOperation): Renaming | undefined {
    const { openApi } = this.#knowledge;
    const { method, host } = operation;
    const segments = this.#ruled(operation.path);
    const name = openApi?.find(method, host, segments);
    if (openApi === undefined || name === undefined) return undefined;
    return toRenaming(operation, new Set([name]), () => openApi.listCovered(method, host, segments));
  }

  #byLearning({ method, host, path }: NamedOperation): Renaming {
    const { learner } = this.#knowledge;
    const segments = this.#ruled(path);
    const ruled = `/${segments.join('/')}`;
    if (learner === undefined) return ruled === path ? STAYS : { kind: 'moves', path: ruled };
    const found = learner.find({ method: normalizeMethod(method), host, segments });
    if (found.source === 'learned' && found.path !== undefined)
      return found.path === path ? STAYS : { kind: 'moves', path: found.path };
    if (ruled !== path) return { kind: 'moves', path: ruled };
    const isUnlearned = path.includes('{') && learner.templates(host).length > 0;
    return isUnlearned ? { kind: 'splits', paths: [] } : STAYS;
  }

  #ruled(path: string): string[] {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => this.#rules.placeholderFor(segment) ?? segment);
  }
}

/** Says whether an operation moves to its new name. `listCovered`: every name that a part of a template's requests may have. */
function toRenaming(
  { path }: NamedOperation,
  names: ReadonlySet<string | undefined>,
  listCovered: () => ReadonlySet<string>,
): Renaming {
  const [name] = names;
  if (names.size === 1 && name === path) return STAYS;
  const isTemplate = path.includes('{');
  const covered = isTemplate ? listCovered() : new Set<string>();
  const all = new Set([...names, ...covered].filter((one) => one !== undefined));
  if (names.size > 1 || all.size > 1) return { kind: 'splits', paths: [...all].sort().slice(0, SPLIT_NAMES_MAX) };
  return name === undefined ? STAYS : { kind: 'moves', path: name };
}

/** Paths that a template stands for. */
function samplesOf(path: string): readonly string[] {
  if (!path.includes('{')) return [path];
  return [0, 1].map((at) =>
    path.replaceAll(/\{[^{}]*\}/g, (placeholder) => {
      const samples = SAMPLES[placeholder] ?? ANY_SAMPLES;
      return samples[at % samples.length] ?? placeholder;
    }),
  );
}
