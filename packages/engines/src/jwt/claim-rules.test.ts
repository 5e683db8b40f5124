import { UNLISTED_PATH } from '@flotilla/policy/testing';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import { askAt, createTestEngine, INVALID, MISSING_CLAIM, makeToken, NOW_S, RS256, SCOPE } from './testing.ts';

const ADMIN = '{ path_prefix: /admin, claim: scope, any_of: [admin, root] }';
const FIELDS = `${RS256}, require_claims_for_path: [${ADMIN}]`;

/** The verdict of an engine with these bindings on a token with these claims. */
function tell(bindings: string, claims: unknown, target = '/admin') {
  const { engine } = createTestEngine(`${RS256}, require_claims_for_path: [${bindings}]`);
  return askAt(engine, target, makeToken({ claims }));
}

describe('a claim that a path requires', () => {
  it('is checked against the path only for tokens that lack it', () => {
    const decide = (fields: string, claims: unknown) => {
      const { engine } = createTestEngine(fields);
      const request = createTestRequest({ headers: [['authorization', makeToken({ claims })]] });
      const pathless = Object.defineProperty(request, 'paths', {
        get: () => {
          throw new Error('read');
        },
      });
      return () => engine.decide(pathless, UNLIMITED).kind;
    };
    expect(decide(RS256, {})()).toBe('allow');
    expect(decide(FIELDS, { scope: 'admin' })()).toBe('allow');
    expect(decide(FIELDS, {})).toThrow('read');
  });

  it.each<[unknown, boolean]>([
    ['admin', true],
    ['read admin', true],
    ['root read', true],
    ['  read   admin ', true],
    [['read', 'admin'], true],
    [['read', 7, null, 'admin'], true],
    [undefined, false],
    [null, false],
    ['', false],
    [' ', false],
    ['read', false],
    ['Admin', false],
    ['administrator', false],
    ['read,admin', false],
    ['read\tadmin', false],
    ['read\nadmin', false],
    ['read\u00a0admin', false],
    ['read\u2003admin', false],
    ['"admin"', false],
    [['read admin'], false],
    [[['admin']], false],
    [[{ admin: true }], false],
    [{ admin: true }, false],
    [{ 0: 'admin', length: 1 }, false],
    [7, false],
    [true, false],
  ])('may be a scope: %j', (scope, isMet) => {
    const claims = scope === undefined ? {} : { scope };
    expect(tell(ADMIN, claims)).toBe(isMet ? 'allow alice' : SCOPE);
    const scp = scope === undefined ? {} : { scp: scope };
    expect(tell(ADMIN.replace('scope', 'scp'), scp)).toBe(isMet ? 'allow alice' : SCOPE);
  });

  it.each<[unknown, boolean]>([
    ['admin', true],
    ['root', true],
    [['x', 'root'], true],
    ['x admin', false],
    ['admin ', false],
    [['x admin'], false],
    [[['admin']], false],
    [1, false],
    [{ admin: 'admin' }, false],
  ])('is compared whole under any other name: %j', (roles, isMet) => {
    expect(tell(ADMIN.replace('scope', 'roles'), { roles })).toBe(isMet ? 'allow alice' : SCOPE);
  });

  it('does not match a number with the same text, or a member of a claim', () => {
    expect(tell('{ path_prefix: /, claim: level, any_of: ["7", "true"] }', { level: 7 })).toBe(SCOPE);
    expect(tell('{ path_prefix: /, claim: level, any_of: ["7", "true"] }', { level: true })).toBe(SCOPE);
    expect(tell('{ path_prefix: /, claim: access.roles, any_of: [a] }', { access: { roles: ['a'] } })).toBe(SCOPE);
    expect(tell('{ path_prefix: /, claim: constructor, any_of: [a] }', {})).toBe(SCOPE);
  });

  it('is rejected if the token contains it twice', () => {
    const claims = `{"sub":"alice","exp":${NOW_S + 60},"scope":"read","scope":"admin"}`;
    expect(tell(ADMIN, claims)).toBe(INVALID);
    expect(tell(ADMIN, claims.replace(',"scope":"admin"', ',"sc\\u006fpe":"admin"'))).toBe(INVALID);
  });

  it('is required by every binding that matches', () => {
    const both = `${ADMIN}, { path_prefix: /admin/keys, claim: tenant, any_of: [main] }`;
    expect(tell(both, { scope: 'admin' }, '/admin/keys')).toBe(SCOPE);
    expect(tell(both, { tenant: 'main' }, '/admin/keys')).toBe(SCOPE);
    expect(tell(both, { scope: 'admin', tenant: 'main' }, '/admin/keys')).toBe('allow alice');
    expect(tell(both, { scope: 'admin' }, '/admin')).toBe('allow alice');
    expect(tell(both, {}, '/open')).toBe('allow alice');
  });

  it('is reported with the accepted values and the owner of the token', () => {
    const { engine } = createTestEngine(FIELDS);
    const request = createTestRequest({ target: '/admin', headers: [['authorization', makeToken()]] });
    expect(engine.decide(request, UNLIMITED)).toEqual({
      kind: 'block',
      reason: 'jwt.scope',
      severity: 'high',
      status: 403,
      subject: 'alice',
      detail: 'needs the claim scope with one of admin, root',
    });
  });

  it('is checked after the claims that every path requires', () => {
    const { engine } = createTestEngine(`${FIELDS}, required_claims: [tenant]`);
    expect(askAt(engine, '/admin', makeToken())).toBe(MISSING_CLAIM);
  });
});

describe('the paths of a claim', () => {
  it.each([
    '/admin',
    '/administrator',
    '//admin',
    '/%61dmin',
    '/x/../admin',
    '/x%2f..%2fadmin',
    '/%2Fadmin',
    '/x%5c..%5cadmin',
    '/%2561dmin',
    '/public/..%252f..%252fadmin',
    '/admin/../public',
    '/ADMIN',
    '/x/..;/admin',
    '/admin;x',
    '/admin#x',
    'http://a.example.com/admin',
    UNLISTED_PATH,
  ])('are not bypassed by %s', (target) => expect(tell(ADMIN, {}, target)).toBe(SCOPE));

  it('are whole segments if the binding says so, also with an encoded slash', () => {
    const whole = '{ path_prefix: /admin, whole_segments: true, claim: scope, any_of: [admin] }';
    for (const target of ['/admin', '/admin/', '/admin/x', '/admin%2fx', '/Admin.json'])
      expect(tell(whole, {}, target)).toBe(SCOPE);
    expect(tell(whole, {}, '/administrator')).toBe('allow alice');
  });

  it('are checked for each request of a cached token', () => {
    const { engine } = createTestEngine(FIELDS);
    const [reader, admin] = [makeToken(), makeToken({ claims: { scope: 'read admin' } })];
    const tellBoth = (target: string) => [askAt(engine, target, reader), askAt(engine, target, admin)];
    for (let round = 0; round < 3; round++) {
      expect(tellBoth('/open')).toEqual(['allow alice', 'allow alice']);
      expect(tellBoth('/admin')).toEqual([SCOPE, 'allow alice']);
      expect(tellBoth('/%61dmin/x')).toEqual([SCOPE, 'allow alice']);
    }
  });
});
