import { describe, expect, it } from 'vitest';
import { Learner } from './learner.ts';
import { type NamedOperation, type NamingKnowledge, Renamer } from './renamer.ts';
import { OperatorRules, type Rule } from './rules.ts';
import { readRouteTable } from './served/read-table.ts';
import { RouteNames } from './served/route-names.ts';
import { TemplateIndex } from './template-index.ts';

function rulesOf(...rules: Rule[]): OperatorRules {
  const compiled = OperatorRules.compile(rules);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  return compiled.rules;
}

/** Templates of routes of the place `here`; a path without a brace is a route of exactly this path. */
function routesOf(...templates: readonly string[]): RouteNames {
  const routes = templates.map((text) => ({
    match: text.includes('{') ? { path_match_policy: { typed_config: { path_template: text } } } : { path: text },
  }));
  const table = readRouteTable(
    { virtual_hosts: [{ domains: ['*'], routes }] },
    { resolve: (value) => value, room: 99 },
  );
  return new RouteNames({ tables: [table], places: { here: [0] } });
}

function learnerOf(...paths: readonly string[]): Learner {
  const learner = new Learner();
  for (const path of paths)
    learner.observe({ method: 'GET', host: 'h', segments: path.split('/').slice(1), answer: 'answered' });
  learner.settle();
  return learner;
}

function rename(knowledge: NamingKnowledge, path: string, more: Partial<NamedOperation> = {}) {
  const operation = { method: 'GET', host: 'h', path, places: ['here'], isNamedByProtocol: false, ...more };
  return new Renamer(knowledge).rename(operation);
}

const STAYS = { kind: 'stays' };
const moves = (path: string) => ({ kind: 'moves', path });

describe('a stored operation', () => {
  it('moves to the template of a route', () => {
    const routes = routesOf('/users/me', '/users/{user}');
    expect(rename({ routes }, '/users/7')).toEqual(moves('/users/{user}'));
    expect(rename({ routes }, '/users/me')).toEqual(STAYS);
    expect(rename({ routes }, '/users/{user}')).toEqual(STAYS);
    expect(rename({ routes }, '/elsewhere/7')).toEqual(STAYS);
  });

  it('with a learned template moves only if everything behind it has one name', () => {
    expect(rename({ routes: routesOf('/users/{user}') }, '/users/{id}')).toEqual(moves('/users/{user}'));
    expect(rename({ routes: routesOf('/users/me', '/users/{user}') }, '/users/{dynamic}')).toEqual({
      kind: 'splits',
      paths: ['/users/me', '/users/{user}'],
    });
  });

  it('does not move by routes of a place where it was not served', () => {
    const routes = routesOf('/users/{user}');
    expect(rename({ routes }, '/users/7', { places: ['elsewhere'] })).toEqual(STAYS);
  });

  it('moves to a template of a document, and splits where documents divide it', () => {
    const openApi = new TemplateIndex([
      { template: '/orders/{order}' },
      { template: '/carts/{cart}' },
      { template: '/carts/mine' },
    ]);
    expect(rename({ openApi }, '/orders/7')).toEqual(moves('/orders/{order}'));
    expect(rename({ openApi }, '/orders/{id}')).toEqual(moves('/orders/{order}'));
    expect(rename({ openApi }, '/carts/{id}')).toEqual({ kind: 'splits', paths: ['/carts/mine', '/carts/{cart}'] });
  });

  it('moves by a rule of an operator', () => {
    const rules = rulesOf({ regex: 'ord-[a-z]+', placeholder: 'id' });
    expect(rename({ rules }, '/o/ord-a/items')).toEqual(moves('/o/{id}/items'));
    expect(rename({ rules }, '/o/{id}/items')).toEqual(STAYS);
  });

  it('moves to what was learned since its first request', () => {
    const learner = learnerOf('/orders/1', '/orders/2', '/orders/3', '/health');
    expect(rename({ learner }, '/orders/1')).toEqual(moves('/orders/{id}'));
    expect(rename({ learner }, '/orders/{id}')).toEqual(STAYS);
    expect(rename({ learner }, '/health')).toEqual(STAYS);
    expect(rename({ learner }, '/never/seen')).toEqual(STAYS);
  });

  it('is left to fresh traffic if its template is not learned any more', () => {
    const learner = learnerOf('/export/csv', '/export/json');
    expect(rename({ learner }, '/export/{dynamic}')).toEqual({ kind: 'splits', paths: [] });
  });

  it.each([
    ['/{other}', {}],
    ['/{traversal}', {}],
    ['/orders/1', { host: '{other}' }],
    ['/orders/1', { isNamedByProtocol: true }],
  ])('stays if it has no path of its own: %s', (path, more) => {
    const learner = learnerOf('/orders/1', '/orders/2');
    const knowledge = { learner, routes: routesOf('/{any}', '/orders/{order}') };
    expect(rename(knowledge, path, more)).toEqual(STAYS);
  });

  it('does not move to a name that would change again, so no two runs move it to and fro', () => {
    // The rule changes what the document's template is made of.
    const rules = rulesOf({ regex: 'v[0-9]', placeholder: 'id' });
    const openApi = new TemplateIndex([{ template: '/{version}/v1' }]);
    const once = rename({ rules, openApi }, '/v2/v1');
    if (once.kind === 'moves') expect(rename({ rules, openApi }, once.path)).toEqual(STAYS);
  });

  it('has the same name after any number of runs, whatever is known', () => {
    const words = [
      'users',
      'me',
      '7',
      '42',
      'ord-a',
      '{id}',
      '{user}',
      '{dynamic}',
      'x.json',
      '5f0c1e6a7b3d4c559a107305',
    ];
    let seed = 20_261_128;
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return list[seed % list.length] as T;
    };
    const path = () => `/${Array.from({ length: 1 + (seed % 3) }, () => pick(words)).join('/')}`;
    for (let round = 0; round < 300; round += 1) {
      const isTemplate = (text: string) => !/\{(?:id|dynamic)\}.*\{(?:id|dynamic)\}/.test(text);
      const knowledge = {
        routes: routesOf(...Array.from({ length: 3 }, path).filter(isTemplate)),
        rules: rulesOf({ regex: 'ord-[a-z]+', placeholder: 'id' }),
        openApi: new TemplateIndex(Array.from({ length: 2 }, () => ({ template: path() }))),
        learner: learnerOf(...Array.from({ length: 8 }, path).filter((text) => !text.includes('{'))),
      };
      const from = path();
      const first = rename(knowledge, from);
      if (first.kind === 'moves') expect(rename(knowledge, first.path), `${from} ${first.path}`).toEqual(STAYS);
    }
  });
});
