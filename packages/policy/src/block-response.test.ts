import { describe, expect, it } from 'vitest';
import { ENGINE_REASONS } from './engines/index.ts';
import { challengeSchemeOf, loadPolicyFiles } from './index.ts';

function load(defaults: object, domainPolicy: object = {}, routePolicy: object = {}) {
  const routes = [{ match: { path_prefix: '/a' }, policy: routePolicy }];
  const spec = { defaults, domains: [{ hosts: ['api.example.com'], policy: domainPolicy, routes }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  return loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
}

/** The block responses of the domain and of its route. */
function answers(...written: Parameters<typeof load>) {
  const loaded = load(...written);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const [domain] = loaded.value.domains;
  return [domain?.policy.blockResponse, domain?.routes[0]?.policy.blockResponse];
}

const block_response = { unauthorized_status: 401, realm: 'shop' };
const CHALLENGE = { format: 'text', unauthorizedStatus: 401, realm: 'shop' };

describe('the response to blocked clients', () => {
  it('follows the specification by default', () => {
    expect(answers({})).toEqual([undefined, undefined]);
    expect(answers({ block_response: {} })).toEqual([undefined, undefined]);
    expect(answers({ block_response: { format: 'text', unauthorized_status: 403 } })).toEqual([undefined, undefined]);
  });

  it('is inherited as a whole: the nearest setting replaces all of it', () => {
    expect(answers({ block_response })).toEqual([CHALLENGE, CHALLENGE]);
    const problem = { format: 'problem_json', unauthorizedStatus: 403, realm: 'restricted' };
    expect(answers({ block_response }, { block_response: { format: 'problem_json' } })).toEqual([problem, problem]);
    expect(answers({}, { block_response }, { block_response: {} })).toEqual([CHALLENGE, undefined]);
  });

  it.each<[object, string, string]>([
    [{ format: 'html' }, 'format', 'schema.value'],
    [{ unauthorized_status: 400 }, 'unauthorized_status', 'schema.too_small'],
    [{ unauthorized_status: 402 }, 'unauthorized_status', 'schema.value'],
    [{ unauthorized_status: 404 }, 'unauthorized_status', 'schema.too_big'],
    [{ unauthorized_status: '401' }, 'unauthorized_status', 'schema.type'],
    [{ realm: 'a"b' }, 'realm', 'schema.format'],
    [{ realm: 'a\r\nset-cookie: x' }, 'realm', 'schema.format'],
    [{ realm: 'é' }, 'realm', 'schema.format'],
    [{ realm: '' }, 'realm', 'schema.too_small'],
    [{ realm: 'x'.repeat(129) }, 'realm', 'schema.too_big'],
    [{ status: 404 }, 'status', 'schema.unknown_field'],
  ])('is rejected if it cannot be sent: %j', (written, field, rule) => {
    for (const place of [{ defaults: written }, { route: written }] as const) {
      const loaded =
        'defaults' in place ? load({ block_response: written }) : load({}, {}, { block_response: place.route });
      expect(loaded.ok ? [] : loaded.error).toContainEqual(expect.objectContaining({ rule }));
      expect(loaded.ok ? '' : loaded.error[0]?.field).toMatch(new RegExp(`block_response\\.${field}$`));
    }
  });
});

it('contains a challenge for missing or wrong credentials, but not for insufficient ones', () => {
  const challenged = Object.values(ENGINE_REASONS)
    .flat()
    .filter((reason) => challengeSchemeOf(reason) !== undefined);
  expect(challenged).toEqual([
    'apikey.missing',
    'apikey.unknown',
    'apikey.expired',
    'jwt.missing',
    'jwt.invalid',
    'jwt.age',
    'jwt.type',
  ]);
});
