import { fail, type RouteContract } from '@flotilla/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './denials.ts';

interface Place {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** What is answered where nothing is served: that there is no such address, or that it takes other methods (RFC 9110 15.5.6). */
export class Unserved {
  readonly #places = new Map<string, Place>();

  constructor(contracts: readonly RouteContract[]) {
    for (const { method, path } of contracts) {
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
      const place = this.#places.get(path) ?? { pattern, methods: new Set<string>() };
      place.methods.add(method);
      if (method === 'GET') place.methods.add('HEAD');
      this.#places.set(path, place);
    }
  }

  /** The error to answer with. Writes the header Allow where other methods are taken. */
  describe(request: FastifyRequest, reply: FastifyReply): Error {
    const [method, path] = [request.method, pathOf(request)];
    const places = [...this.#places.values()].filter(({ pattern }) => pattern.test(path));
    const allowed = new Set(places.flatMap(({ methods }) => [...methods]));
    // One that is taken was served by a handler, which says that there is nothing.
    if (allowed.size === 0 || allowed.has(method)) return notServed(request);
    const allow = [...allowed].toSorted().join(', ');
    reply.header('allow', allow);
    return fail('request.method', { method, path, allow });
  }
}

export function notServed(request: FastifyRequest): Error {
  return fail('request.not_found', { method: request.method, path: pathOf(request) });
}
