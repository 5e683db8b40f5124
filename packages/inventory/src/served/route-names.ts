import { CompiledRoute, compilePath } from './compiled-route.ts';
import type { RouteTable, ServedHost, ServedRoutes } from './served-route.ts';

/** A request as far as routes look at it. */
export interface RoutedRequest {
  readonly method: string;
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  /** See `toPlace`. Without it no route applies. */
  readonly place?: string | undefined;
}

const KNOWN_MAX = 4096;
const KNOWN_CHARACTERS_MAX = 512;

/**
 * Names requests by the routes that took them, as Envoy chooses them: the virtual host by its domains, then the first route that matches. A route that is no
 * template (a prefix, an expression of another form) gives no name, and hides those behind it. If conditions decide that are not known here, a name is
 * given only if every possible route gives the same one, or if one of them is for exactly this path: then requests may be divided, but never merged.
 */
export class RouteNames {
  readonly #tables: readonly CompiledTable[];
  readonly #places: ReadonlyMap<string, readonly number[]>;
  /** Answers to the last requests: each one is asked about more than once. */
  readonly #known = new Map<string, string | undefined>();

  constructor({ tables, places }: ServedRoutes) {
    this.#tables = tables.map((table) => new CompiledTable(table));
    this.#places = new Map(Object.entries(places));
  }

  /** The name of the request's path; undefined if no route gives one. */
  find({ method, authority, path, place = '' }: RoutedRequest): string | undefined {
    const tables = this.#places.get(place);
    if (tables === undefined) return undefined;
    const end = path.search(/[?#]/);
    const bare = end === -1 ? path : path.slice(0, end);
    const key = `${place}\n${method}\n${authority}\n${bare}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const name = agree(this.#hostsOf(place, authority).map((host) => host.find(method, bare)));
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    if (key.length <= KNOWN_CHARACTERS_MAX) this.#known.set(key, name);
    return name;
  }

  hasPlace(place: string): boolean {
    return this.#places.has(place);
  }

  /** Names that routes give to paths of a template, such as `/users/{id}` and `/users/me` for `/users/{dynamic}`. */
  listCovered({ method, authority, path, place = '' }: RoutedRequest): ReadonlySet<string> {
    const hosts = this.#hostsOf(place, authority);
    return new Set(hosts.flatMap((host) => host.listCovered(method, splitName(path))));
  }

  #hostsOf(place: string, authority: string): CompiledHost[] {
    return (this.#places.get(place) ?? []).flatMap((index) => this.#tables[index]?.hostOf(authority) ?? []);
  }
}

function splitName(name: string): string[] {
  return name.split('/').slice(1);
}

/** Whether a path can have both names. */
function isCovered(template: readonly string[], name: readonly string[]): boolean {
  const rest = name.findIndex((segment) => segment.endsWith('=**}'));
  const shared = rest === -1 ? name.length : rest;
  if (rest === -1 ? template.length !== name.length : template.length < rest) return false;
  return name
    .slice(0, shared)
    .every((segment, at) => segment === template[at] || segment.includes('{') || template[at]?.includes('{') === true);
}

/** Undefined unless all agree. One of exactly the path wins. */
function agree(names: readonly (string | undefined)[]): string | undefined {
  const literal = names.find((name) => name !== undefined && !name.includes('{'));
  if (literal !== undefined) return literal;
  return new Set(names).size === 1 ? names[0] : undefined;
}

class CompiledTable {
  readonly #ignoresPort: boolean;
  readonly #exact = new Map<string, CompiledHost>();
  /** `*.example.com` as `.example.com`, and `www.*` as `www.`; longest first. */
  readonly #endings: (readonly [string, CompiledHost])[] = [];
  readonly #beginnings: (readonly [string, CompiledHost])[] = [];
  #rest: CompiledHost | undefined;

  constructor({ ignoresPort, hosts }: RouteTable) {
    this.#ignoresPort = ignoresPort;
    for (const host of hosts) this.#add(host);
    for (const list of [this.#endings, this.#beginnings]) list.sort(([a], [b]) => b.length - a.length);
  }

  hostOf(authority: string): CompiledHost | undefined {
    const lower = authority.toLowerCase();
    const name = this.#ignoresPort ? lower.replace(/:\d+$/, '') : lower;
    return (
      this.#exact.get(name) ??
      this.#endings.find(([ending]) => name.length > ending.length && name.endsWith(ending))?.[1] ??
      this.#beginnings.find(([beginning]) => name.length > beginning.length && name.startsWith(beginning))?.[1] ??
      this.#rest
    );
  }

  #add(host: ServedHost): void {
    const compiled = new CompiledHost(host);
    for (const domain of host.domains) {
      const name = domain.toLowerCase();
      if (name === '*') this.#rest ??= compiled;
      else if (name.startsWith('*')) this.#endings.push([name.slice(1), compiled]);
      else if (name.endsWith('*')) this.#beginnings.push([name.slice(0, -1), compiled]);
      else if (!this.#exact.has(name)) this.#exact.set(name, compiled);
    }
  }
}

interface Node {
  readonly next: Map<string, Node>;
  readonly routes: CompiledRoute[];
}

/** Routes by the segments with which their paths begin, so that a request looks at few of them. */
class CompiledHost {
  readonly #root: Node = { next: new Map(), routes: [] };
  readonly #named: CompiledRoute[] = [];

  constructor({ routes }: ServedHost) {
    const patterns = new Map<string, string>();
    for (const [order, route] of routes.entries()) {
      const path = compilePath(route.path);
      const text = JSON.stringify(route.path);
      // Two patterns with one name would merge their paths.
      const hasName = !path.isPattern || path.name === undefined || (patterns.get(path.name) ?? text) === text;
      if (path.isPattern && path.name !== undefined && hasName) patterns.set(path.name, text);
      const compiled = new CompiledRoute(route, { path, order, hasName });
      this.#nodeOf(path.fixed).routes.push(compiled);
      if (compiled.name !== undefined) this.#named.push(compiled);
    }
  }

  listCovered(method: string, template: readonly string[]): string[] {
    return this.#named.flatMap((route) =>
      route.name !== undefined && isCovered(template, splitName(route.name)) && route.takesMethod(method)
        ? route.name
        : [],
    );
  }

  find(method: string, path: string): string | undefined {
    const names = new Set<string>();
    for (const route of this.#candidates(path)) {
      const verdict = route.takes(method, path);
      if (verdict === false) continue;
      const name = route.nameOf(path);
      if (name !== undefined && !name.includes('{')) return name;
      if (name !== undefined) names.add(name);
      if (verdict === true) break;
    }
    const [only] = names;
    return names.size === 1 ? only : undefined;
  }

  #candidates(path: string): CompiledRoute[] {
    const found = [...this.#root.routes];
    let node: Node | undefined = this.#root;
    for (const segment of path.split('/').slice(1)) {
      node = node.next.get(segment);
      if (node === undefined) break;
      found.push(...node.routes);
    }
    return found.sort((a, b) => a.order - b.order);
  }

  #nodeOf(fixed: readonly string[]): Node {
    let node = this.#root;
    for (const segment of fixed) {
      const next = node.next.get(segment) ?? { next: new Map(), routes: [] };
      node.next.set(segment, next);
      node = next;
    }
    return node;
  }
}
