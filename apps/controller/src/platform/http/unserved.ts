import { fail, type RouteContract } from '@flotilla/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './denials.ts';

/** Specified routes of a feature that this controller does not have, and their common error. */
export interface FeatureOff {
  readonly routes: readonly Pick<RouteContract, 'method' | 'path'>[];
  readonly describe: () => Error;
}

interface Place {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  readonly off: FeatureOff | undefined;
}

/** Answers addresses without a route: not found, or method not allowed (RFC 9110 section 15.5.6). */
export class Unserved {
  readonly #places = new Map<string, Place>();

  constructor(contracts: readonly RouteContract[], featuresOff: readonly FeatureOff[]) {
    for (const { method, path } of contracts) this.#add(method, path);
    for (const off of featuresOff) for (const { method, path } of off.routes) this.#add(method, path, off);
  }

  #add(method: string, path: string, off?: FeatureOff): void {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    const place = this.#places.get(path) ?? { pattern, methods: new Set<string>(), off };
    place.methods.add(method);
    if (method === 'GET') place.methods.add('HEAD');
    this.#places.set(path, place);
  }

  /** Returns the error and writes the Allow header if other methods exist. */
  describe(request: FastifyRequest, reply: FastifyReply): Error {
    const [method, path] = [request.method, pathOf(request)];
    const places = [...this.#places.values()].filter(({ pattern }) => pattern.test(path));
    const off = places.find((place) => place.off && place.methods.has(method))?.off;
    if (off) return off.describe();
    const allowed = new Set(places.flatMap(({ methods }) => [...methods]));
    // If the method is allowed, a handler answered that the resource does not exist.
    if (allowed.size === 0 || allowed.has(method)) return notServed(request);
    const allow = [...allowed].toSorted().join(', ');
    reply.header('allow', allow);
    return fail('request.method', { method, path, allow });
  }
}

export function notServed(request: FastifyRequest): Error {
  return fail('request.not_found', { method: request.method, path: pathOf(request) });
}
