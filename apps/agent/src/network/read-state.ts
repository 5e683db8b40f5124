import { ok, type Result } from '@flotilla/kit';
import { parseLinks, parseRoutes, parseRules } from './ip-json.ts';
import { runProgram } from './programs.ts';
import type { KernelState, Link, NetworkSettings, Problem, Route } from './types.ts';

/** The table `local` and the types of routes that the kernel creates for its own addresses. */
const LOCAL_TABLE = 255;
const KERNEL_TYPES = new Set([2, 3, 4, 5]);

/** Reads links, routes of both IP versions and rules. The addresses of the host itself are no routes here. */
export async function readKernelState(
  settings: Pick<NetworkSettings, 'prefix'>,
): Promise<Result<KernelState, Problem>> {
  const [links, ...others] = await Promise.all([
    readJson(settings, ['-j', '-d', 'addr', 'show']),
    readJson(settings, ['-4', '-N', '-j', '-d', 'route', 'show', 'table', 'all']),
    readJson(settings, ['-6', '-N', '-j', '-d', 'route', 'show', 'table', 'all']),
    readJson(settings, ['-4', '-N', '-j', '-d', 'rule', 'show']),
    readJson(settings, ['-6', '-N', '-j', '-d', 'rule', 'show']),
  ]);
  const [routes4, routes6, rules4, rules6] = others;
  for (const one of [links, routes4, routes6, rules4, rules6]) if (!one?.ok) return one as Result<never, Problem>;
  const value = (one: Result<unknown, Problem> | undefined) => (one?.ok ? one.value : undefined);
  const routes = [...parseRoutes(value(routes4), 4), ...parseRoutes(value(routes6), 6)];
  return ok({
    links: parseLinks(value(links)),
    routes: routes.filter(({ table, type }) => table !== LOCAL_TABLE && !KERNEL_TYPES.has(type)),
    rules: [...parseRules(value(rules4), 4), ...parseRules(value(rules6), 6)],
  });
}

export async function readLinks(settings: Pick<NetworkSettings, 'prefix'>): Promise<Result<readonly Link[], Problem>> {
  const links = await readJson(settings, ['-j', '-d', 'addr', 'show']);
  return links.ok ? ok(parseLinks(links.value)) : links;
}

/** The default routes for IPv4 of the main table. */
export async function readDefaultRoutes(
  settings: Pick<NetworkSettings, 'prefix'>,
): Promise<Result<readonly Route[], Problem>> {
  const routes = await readJson(settings, ['-4', '-N', '-j', '-d', 'route', 'show', 'default']);
  return routes.ok ? ok(parseRoutes(routes.value, 4)) : routes;
}

/** The address of this host from which it reaches another one. Undefined: there is no route. */
export async function readSource(
  settings: Pick<NetworkSettings, 'prefix'>,
  destination: string,
): Promise<string | undefined> {
  const routes = await readJson(settings, ['-4', '-j', 'route', 'get', destination]);
  return routes.ok ? parseRoutes(routes.value, 4)[0]?.source : undefined;
}

async function readJson(
  settings: Pick<NetworkSettings, 'prefix'>,
  args: readonly string[],
): Promise<Result<unknown, Problem>> {
  const answer = await runProgram(settings, ['ip', ...args]);
  if (!answer.ok) return answer;
  try {
    return ok(answer.value.trim() === '' ? [] : JSON.parse(answer.value));
  } catch {
    return { ok: false, error: { code: 'network.program', message: `ip ${args.join(' ')}: the answer is not JSON` } };
  }
}
