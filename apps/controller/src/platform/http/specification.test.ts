import { fileURLToPath } from 'node:url';
import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { expect, it } from 'vitest';
import { readSpecification } from '../../../../../scripts/specification.mjs';

const rows = readSpecification(fileURLToPath(new URL('../../../../..', import.meta.url)));
const missing = new Set(rows.filter(({ tests = [] }) => tests.length === 0).map(({ id }) => id));

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
/** Ignores the names of path parameters. */
const shapeOf = (route: string) => route.replaceAll(/:\w+/g, ':');
const served = new Set(routes.map(({ method, path }) => shapeOf(`${method} ${path}`)));
const paths = routes.map(({ path }) => `${shapeOf(path)}/`);

/** Accepts a route (method and path), or a path with any route at or below it. */
function isServed(wanted: string): boolean {
  return wanted.startsWith('/')
    ? paths.some((path) => path.startsWith(`${shapeOf(wanted)}/`))
    : served.has(shapeOf(wanted));
}

it('a row of the specification is fulfilled only if all its routes are declared', () => {
  const claimed = rows.filter(({ id }) => !missing.has(id));
  const undeclared = claimed.flatMap(({ id, routes = [] }) =>
    routes.filter((route) => !isServed(route)).map((route) => `${id}: ${route}`),
  );
  expect(undeclared).toEqual([]);
});

it('a missing row of the specification has no declared route', () => {
  const declared = rows.filter(({ id, routes = [] }) => missing.has(id) && routes.some(isServed));
  expect(declared.map(({ id }) => id)).toEqual([]);
});

it('every row of a route names its route', () => {
  const named = rows.filter(({ id }) => id.startsWith('route: '));
  expect(named.length).toBeGreaterThan(20);
  for (const { id, routes } of named) expect(routes).toEqual([id.slice('route: '.length)]);
});

it('a command type of the specification is in the table of commands, or marked as missing', () => {
  const types = new Set(contract.COMMAND_SPECS.map(({ type }) => type));
  const specified = rows.filter(({ id }) => id.startsWith('command type: '));
  expect(specified.length).toBeGreaterThan(10);
  for (const { id } of specified) expect(types.has(id.slice('command type: '.length)), id).toBe(!missing.has(id));
});
