import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import type { Answer, TestController } from '../../../testing/controller.ts';

/** Sends a request that names `project` where the route expects it, and resources that do not exist. */
export async function sendTo(
  t: TestController,
  contract: RouteContract,
  {
    authorization,
    project = t.project,
    headers,
  }: { authorization?: string | undefined; project?: string; headers?: Record<string, string> },
): Promise<Answer> {
  // Replaces the parameter only if the path selects the project; elsewhere it names the resource and would change it.
  const scopedPath = contract.project === 'target' ? contract.path.replace(':project_id', project) : contract.path;
  const path = scopedPath.replaceAll(/:\w+|\*/g, () => createId());
  const inQuery = contract.project === 'query' || contract.project === 'query_or_all';
  const request = {
    method: contract.method,
    url: inQuery ? `${path}?project=${project}` : path,
    headers: { ...(authorization && { authorization }), ...headers },
    ...(contract.project === 'body' && { payload: { project } }),
  };
  if (contract.media !== undefined) return readHead(t, request);
  const response = await t.app.inject(request);
  const isJson = String(response.headers['content-type']).includes('application/json') && response.body !== '';
  return { status: response.statusCode, body: isJson ? response.json() : response.body, headers: response.headers };
}

/** Reads only the head of a stream, which has no end and shows by its status whether the caller was admitted. */
async function readHead(t: TestController, request: InjectOptions): Promise<Answer> {
  const response = await t.app.inject({ ...request, payloadAsStream: true });
  const isStream = response.statusCode === 200;
  if (isStream) response.stream().destroy();
  const chunks = isStream ? [] : await response.stream().toArray();
  const body = isStream || request.method === 'HEAD' ? '' : JSON.parse(Buffer.concat(chunks).toString());
  return { status: response.statusCode, body, headers: response.headers };
}

export const name = ({ method, path }: RouteContract) => `${method} ${path}`;

/** Checks all routes before it fails, and names every route that failed. */
export async function forEach(
  routes: readonly RouteContract[],
  check: (contract: RouteContract) => Promise<string | undefined>,
) {
  const problems: string[] = [];
  for (const contract of routes) {
    const problem = await check(contract);
    if (problem !== undefined) problems.push(`${name(contract)}: ${problem}`);
  }
  expect(problems).toEqual([]);
}

/** Refusals that do not come from the guard: they depend on the user or role in the request. */
const BEYOND_THE_GUARD = ['auth.session_required', 'password.wrong', 'role.too_high', 'user.owner_only'];

/**
 * An admitted request may fail in any way except for the caller's identity, and never with a bug. 503 means that
 * something is unreachable.
 */
export function expectAdmitted({ status, body }: Answer): string | undefined {
  const isRefused = status === 401 || (status === 403 && !BEYOND_THE_GUARD.includes(body.code));
  return isRefused || (status >= 500 && status !== 503) ? `${status} ${JSON.stringify(body)}` : undefined;
}

export function expectCode({ status, body }: Answer, expectedStatus: number, code?: string): string | undefined {
  const isExpected = status === expectedStatus && (code === undefined || body.code === code);
  return isExpected ? undefined : `expected ${expectedStatus} ${code ?? ''}, got ${status} ${JSON.stringify(body)}`;
}

export function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
