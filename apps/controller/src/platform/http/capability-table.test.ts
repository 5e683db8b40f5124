import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contract from '@flotilla/contract';
import { ROLES, type RouteContract } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/security.md');
const BEGIN = '<!-- capabilities: written by the capability-table test -->';
const END = '<!-- end of capabilities -->';

/** Every route of the contract: the exports whose names end in `Routes`. */
const routes: readonly RouteContract[] = Object.entries(contract)
  .flatMap(([name, value]) => (name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : []))
  .toSorted((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));

function describeCallers({ access }: RouteContract): string {
  switch (access.kind) {
    case 'roles':
      return access.roles.length === ROLES.length ? 'every role' : access.roles.join(', ');
    case 'system_owner':
      return 'owners of the installation';
    case 'authenticated':
      return 'any signed-in caller';
    case 'public':
      return 'everybody';
    default:
      return `the ${access.kind.replace('_', ' ')} credential only`;
  }
}

function describeTokens(route: RouteContract): string {
  const { access, family: scope } = route;
  if (route.people === true) return 'no token';
  if (access.kind !== 'roles' && access.kind !== 'authenticated') return '';
  if (scope === 'any') return 'every token';
  return scope ?? 'unrestricted tokens';
}

function render(): string {
  const rows = routes.map(
    (route) =>
      `| \`${route.method} ${route.path}\` | ${describeCallers(route)} | ${route.project} | ${describeTokens(route)} |`,
  );
  return `${BEGIN}

| route | who | project | token scope |
|---|---|---|---|
${rows.join('\n')}

${END}`;
}

describe('the table of capabilities', () => {
  it('is the one in docs/security.md (GOLDEN=write rewrites it)', () => {
    const page = readFileSync(DOCUMENT, 'utf8');
    const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
    expect(from).toBeGreaterThan(0);
    expect(to).toBeGreaterThan(from);
    const written = page.slice(0, from) + render() + page.slice(to + END.length);
    if (process.env.GOLDEN === 'write') writeFileSync(DOCUMENT, written);
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(written);
  });

  it('contains every route once', () => {
    expect(routes.length).toBeGreaterThan(100);
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  });

  it('gives tokens no route that changes tokens or groups', () => {
    const ofPeople = routes.filter(
      ({ tag, audit }) => ['API tokens', 'Groups', 'Permissions'].includes(tag) && audit !== null,
    );
    expect(ofPeople.filter(({ people }) => people !== true).map(({ id }) => id)).toEqual([]);
  });
});
