import { describe, expect, it } from 'vitest';
import { DocumentIndex, judge, type SeenOperation, toItem } from './comparison.ts';
import type { OperationFacts } from './document.ts';

const FACTS: OperationFacts = {
  operationId: 'listUsers',
  deprecated: false,
  openQuery: false,
  openStatuses: false,
  parameters: [{ in: 'query', name: 'page', required: false, type: '' }],
  body: null,
  statuses: ['200'],
  secured: false,
};
const SEEN: SeenOperation = {
  id: '0123456789abcdef',
  method: 'GET',
  host: 'api.example.com',
  path: '/users',
  listeners: ['web'],
  lastSeen: new Date(0),
  seen: 1,
};
const DETAILS = { statuses: ['200', '500'], queryNames: ['page', 'sort'] };

function indexOf(hosts: readonly string[], path = '/users'): DocumentIndex {
  const index = new DocumentIndex({
    id: null,
    name: 'users',
    number: 1,
    servers: [{ host: null, base: '' }],
    keyQuery: [],
    scope: { listener_name: '', host_prefixes: [...hosts], path_prefixes: [] },
  });
  index.add([{ method: 'GET', path, facts: FACTS }]);
  return index;
}

describe('the differences of an operation', () => {
  it('are parameters and statuses, if a document describes it', () => {
    expect(toItem(judge([indexOf(['api.example.com'])], SEEN), DETAILS)).toMatchObject({
      kinds: ['documented', 'undeclared_parameter', 'undeclared_status'],
      undeclared_parameters: ['sort'],
      undeclared_statuses: ['500'],
    });
  });

  it.each([
    ['there is no document', [], 'unscoped'],
    ['no document has it in its scope', [indexOf(['other.example.com'], '/else')], 'unscoped'],
    ['its document does not describe it', [indexOf(['api.example.com'], '/else')], 'undocumented'],
    ['only a document of other hosts describes it', [indexOf(['other.example.com'])], 'out_of_scope'],
  ] as const)('are the operation as a whole, if %s', (_, indexes, kind) => {
    expect(toItem(judge(indexes, SEEN), DETAILS)).toMatchObject({
      kinds: [kind],
      undeclared_parameters: [],
      undeclared_statuses: [],
    });
  });
});
