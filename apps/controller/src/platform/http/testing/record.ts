import type { RouteContract } from '@flotilla/contract';
import type { InjectOptions } from 'fastify';
import type { TestController } from '../../../testing/controller.ts';

/** The writes of requests, compared with the audit log. */
export interface WatchedWrites {
  /** Ids of the routes with a successful write. */
  readonly done: ReadonlySet<string>;
  /** Lists `<route id>: <what its entry is>` for each successful write without exactly one entry of its action. */
  findUnrecorded(): Promise<string[]>;
}

/** Observes every later request of a test to this controller. */
export function watchWrites(t: TestController): WatchedWrites {
  const routes = t.controller.routes
    .map(({ contract }) => ({ contract, pattern: patternOf(contract) }))
    .filter(({ contract }) => contract.method !== 'GET')
    // If two routes match, the one with fewer parameters wins.
    .toSorted((a, b) => a.contract.path.split(':').length - b.contract.path.split(':').length);
  const done = new Set<string>();
  const writes = new Map<string, RouteContract>();
  const inject = t.app.inject.bind(t.app) as (request: InjectOptions) => Promise<{
    statusCode: number;
    headers: Record<string, unknown>;
  }>;
  const watched = async (request: InjectOptions) => {
    const response = await inject(request);
    const path = String(request.url).split('?', 1)[0] ?? '';
    const isKept = response.statusCode < 400 && !String(request.url).includes('dry_run=true');
    const route = routes.find(({ contract, pattern }) => contract.method === request.method && pattern.test(path));
    if (isKept && route) {
      done.add(route.contract.id);
      writes.set(String(response.headers['x-request-id']), route.contract);
    }
    return response;
  };
  t.app.inject = watched as never;
  return {
    done,
    async findUnrecorded() {
      const entries = await t.database.owner
        .selectFrom('audit_log')
        .select(['request_id', 'action'])
        .where('outcome', '=', 'done')
        .execute();
      return [...writes].flatMap(([request, { id, audit }]) => {
        const recorded = entries.filter(({ request_id }) => request_id === request).map(({ action }) => action);
        const expected = audit === null ? [] : [audit];
        return recorded.join() === expected.join() ? [] : [`${id}: ${recorded.join() || 'none'}`];
      });
    },
  };
}

/** The audit entries of one request. */
export function readEntries(t: TestController, requestId: unknown) {
  return t.database.owner
    .selectFrom('audit_log')
    .select(['action', 'outcome', 'changes'])
    .where('request_id', '=', String(requestId))
    .execute();
}

function patternOf({ path }: RouteContract): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
