import { Identifier, OTHER_PATH } from '@flotilla/inventory';
import { Random } from '@flotilla/testkit/random';
import { countCommon } from './score.ts';

export interface ScannerFigures {
  readonly nodesBefore: number;
  readonly nodesAfter: number;
  readonly heapGrowthMb: number;
  /** There are 20. */
  readonly operationsKept: number;
  readonly operationsListed: number;
  readonly inOther: number;
}

const RESOURCES = ['users', 'orders', 'invoices', 'products', 'carts'];
const HOST = 'api.example.com';

/** A scanner with `paths` distinct paths on a host with 20 operations. `isAnswered`: the host answers every path, so nothing but its counts betrays it. */
export function measureScanner(paths: number, { isAnswered }: { isAnswered: boolean }): ScannerFigures {
  const random = new Random(5);
  const identifier = new Identifier();
  sendReal(identifier, random);
  identifier.learner.settle();
  const nodesBefore = identifier.learner.nodes;
  const expected = new Set(identifier.learner.templates(HOST).map(({ method, path }) => `${method} ${path}`));
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  let inOther = 0;
  for (let at = 0; at < paths; at++) {
    const path = `/${random.text('abcdefghijklmnopqrstuvwxyz', 8)}/${random.text('abcdefghijklmnopqrstuvwxyz', 6)}.php`;
    const request = {
      method: 'GET',
      authority: HOST,
      path,
      answer: isAnswered ? ('answered' as const) : ('missing' as const),
    };
    identifier.observe(request);
    if (identifier.identify(request).normalizedPath === OTHER_PATH) inOther += 1;
  }
  sendReal(identifier, random);
  identifier.learner.settle();
  globalThis.gc?.();
  const listed = new Set(identifier.learner.templates(HOST).map(({ method, path }) => `${method} ${path}`));
  return {
    nodesBefore,
    nodesAfter: identifier.learner.nodes,
    heapGrowthMb: Math.round((process.memoryUsage().heapUsed - heapBefore) / 1e5) / 10,
    operationsKept: countCommon(expected, listed),
    operationsListed: listed.size,
    inOther: inOther / paths,
  };
}

function sendReal(identifier: Identifier, random: Random): void {
  for (let at = 0; at < 200; at++) {
    for (const resource of RESOURCES) {
      const id = String(1 + random.below(100_000));
      for (const [method, path] of [
        ['GET', `/${resource}`],
        ['POST', `/${resource}`],
        ['GET', `/${resource}/${id}`],
        ['DELETE', `/${resource}/${id}`],
      ] as const) {
        identifier.observe({ method, authority: HOST, path, answer: 'answered' });
      }
    }
  }
}
