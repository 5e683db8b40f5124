import { expect, it } from 'vitest';
import { compareVersions } from './breaking.ts';
import type { DocumentOperation, OperationFacts } from './document.ts';

const operation = (name: string, facts: Partial<OperationFacts> = {}): DocumentOperation => {
  const [method = '', path = ''] = name.split(' ');
  return {
    method,
    path,
    facts: {
      operationId: '',
      deprecated: false,
      parameters: [],
      openQuery: false,
      body: null,
      statuses: ['200'],
      openStatuses: false,
      secured: false,
      ...facts,
    },
  };
};
const query = (name: string, more: { required?: boolean; type?: string } = {}) =>
  ({ in: 'query', name, required: false, type: 'string', ...more }) as const;
const compare = (
  older: DocumentOperation[],
  newer: DocumentOperation[],
  bases: [string[], string[]] = [[''], ['']],
) => {
  const servers = (list: string[]) => list.map((base) => ({ host: null, base }));
  const { changes, added } = compareVersions(
    { operations: older, servers: servers(bases[0]) },
    { operations: newer, servers: servers(bases[1]) },
  );
  return [...changes.map(({ kind, method, path, detail }) => `${kind} ${method} ${path} ${detail}`.trim()), added];
};

it('a version breaks clients by what it removes or requires', () => {
  const older = operation('POST /a/{id}', {
    parameters: [
      query('gone'),
      query('typed'),
      query('must'),
      { in: 'header', name: 'X-Old', required: false, type: '' },
    ],
    body: { required: false, media: ['application/json', 'text/xml'] },
    statuses: ['201', '404'],
  });
  const newer = operation('POST /a/{other}', {
    parameters: [
      query('typed', { type: 'integer' }),
      query('must', { required: true }),
      query('new', { required: true }),
      { in: 'header', name: 'x-old', required: false, type: 'string' },
    ],
    body: { required: true, media: ['application/json'] },
    statuses: ['202'],
    secured: true,
  });
  expect(compare([older, operation('GET /gone')], [newer, operation('GET /more')], [['/v1'], ['/v2']])).toEqual([
    'base_path_removed  /v1',
    'parameter_removed POST /a/{id} query gone',
    'parameter_type_changed POST /a/{id} query typed: string → integer',
    'parameter_required POST /a/{id} query must',
    'parameter_required POST /a/{id} query new',
    'body_required POST /a/{id}',
    'media_type_removed POST /a/{id} text/xml',
    'success_status_removed POST /a/{id} 201',
    'security_added POST /a/{id}',
    'operation_removed GET /gone',
    1,
  ]);
});

it('a version that only adds breaks nobody', () => {
  const newer = operation('GET /a', { parameters: [query('page')], statuses: ['200', '206', '404'] });
  expect(compare([operation('GET /a')], [newer, operation('POST /a')])).toEqual([1]);
});
