import { JWT_ALGORITHMS, type JwtAlgorithm } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { AlikeNames } from '../alike-names.ts';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import {
  CLAIMS,
  createTestEngine,
  INVALID,
  keyFor,
  MISSING,
  MISSING_CLAIM,
  makeToken,
  NOW_S,
  pemOf,
  RS256,
  SECRET,
  type TokenSpec,
} from './testing.ts';

describe('the place of the token', () => {
  const { ask } = createTestEngine();
  const token = makeToken();

  it.each<[string, string[], string]>([
    ['no header', [], MISSING],
    ['an empty header', [''], MISSING],
    ['two empty headers', ['', ''], MISSING],
    ['the scheme and the token', [`Bearer ${token}`], 'allow alice'],
    ['the scheme in other case', [`bEaReR ${token}`], 'allow alice'],
    ['the scheme and more spaces', [`Bearer   ${token}`], 'allow alice'],
    ['the token alone', [token], 'allow alice'],
    ['the same line twice', [`Bearer ${token}`, `Bearer ${token}`], 'allow alice'],
    ['two lines that differ in the scheme alone', [`Bearer ${token}`, token], INVALID],
    ['another line behind it', [`Bearer ${token}`, 'Basic eDp5'], INVALID],
    ['an empty line before it', ['', `Bearer ${token}`], INVALID],
    ['a list in one line', [`Bearer ${token}, Bearer ${token}`], INVALID],
    ['a list as proxies join lines', [`Bearer ${token},Bearer ${token}`], INVALID],
    ['the scheme alone', ['Bearer'], INVALID],
    ['another scheme', [`Basic ${token}`], INVALID],
    ['no space behind the scheme', [`Bearer${token}`], INVALID],
    ['a tab behind the scheme', [`Bearer\t${token}`], INVALID],
    ['the scheme twice', [`Bearer Bearer ${token}`], INVALID],
    ['a quoted token', [`Bearer "${token}"`], INVALID],
    ['text behind the token', [`Bearer ${token} x`], INVALID],
    ['a letter behind the token', [`Bearer ${token}A`], INVALID],
  ])('%s', (_, values, expected) => expect(ask(...values)).toBe(expected));

  it('may be a header with another name', () => {
    const { engine } = createTestEngine(`${RS256}, header_name: X-Token`);
    const decide = (name: string) =>
      engine.decide(createTestRequest({ headers: [[name, makeToken()]] }), UNLIMITED).kind;
    expect(decide('x-token')).toBe('allow');
    expect(decide('authorization')).toBe('block');
  });
});

describe('an algorithm of the list', () => {
  const fieldsOf = (algorithm: JwtAlgorithm) =>
    algorithm.startsWith('HS')
      ? ([`algorithms: [${algorithm}], hmac_secret_file: files/key`, SECRET] as const)
      : ([`algorithms: [${algorithm}], public_key_file: files/key`, pemOf(keyFor(algorithm))] as const);

  it.each(JWT_ALGORITHMS)('%s lets its tokens in, and no token of another algorithm', (algorithm) => {
    const { ask } = createTestEngine(...fieldsOf(algorithm));
    for (const other of JWT_ALGORITHMS) {
      expect(ask(makeToken({ algorithm: other })), other).toBe(other === algorithm ? 'allow alice' : INVALID);
    }
  });

  it.each(JWT_ALGORITHMS)('%s in the header does not validate a signature of another one', (claimed) => {
    for (const algorithm of JWT_ALGORITHMS) {
      if (algorithm === claimed) continue;
      const { ask } = createTestEngine(...fieldsOf(claimed));
      expect(ask(makeToken({ algorithm, header: { alg: claimed, typ: 'JWT' } })), algorithm).toBe(INVALID);
    }
  });

  it('is used if the token names it', () => {
    const { ask } = createTestEngine('algorithms: [RS256, PS512], public_key_file: files/key');
    expect(ask(makeToken({ algorithm: 'RS256' }))).toBe('allow alice');
    expect(ask(makeToken({ algorithm: 'PS512' }))).toBe('allow alice');
    expect(ask(makeToken({ algorithm: 'RS512' }))).toBe(INVALID);
    expect(ask(makeToken({ algorithm: 'PS512', header: { alg: 'RS256' } }))).toBe(INVALID);
  });
});

describe('times', () => {
  const LEEWAY = `${RS256}, leeway: 10s`;

  it.each<[string, string, object, string]>([
    ['exp in the future', RS256, { exp: NOW_S + 1 }, 'allow alice'],
    ['exp now', RS256, { exp: NOW_S }, INVALID],
    ['exp in the past', RS256, { exp: NOW_S - 1 }, INVALID],
    ['exp with a fraction', RS256, { exp: NOW_S + 0.001 }, 'allow alice'],
    ['exp in the past, within the leeway', LEEWAY, { exp: NOW_S - 9.999 }, 'allow alice'],
    ['exp in the past, at the end of the leeway', LEEWAY, { exp: NOW_S - 10 }, INVALID],
    ['no exp', RS256, { exp: undefined }, INVALID],
    ['nbf now', RS256, { nbf: NOW_S }, 'allow alice'],
    ['nbf in the future', RS256, { nbf: NOW_S + 1 }, INVALID],
    ['nbf in the future, within the leeway', LEEWAY, { nbf: NOW_S + 10 }, 'allow alice'],
    ['nbf beyond the leeway', LEEWAY, { nbf: NOW_S + 10.001 }, INVALID],
    ['iat in the past', RS256, { iat: 0 }, 'allow alice'],
    ['iat in the future', RS256, { iat: NOW_S + 1 }, INVALID],
    ['iat within the leeway', LEEWAY, { iat: NOW_S + 10 }, 'allow alice'],
    ...['exp', 'nbf', 'iat'].flatMap((name) =>
      [`${NOW_S + 60}`, null, true, [NOW_S + 60], { s: NOW_S }].map((value): [string, string, object, string] => [
        `${name} of ${JSON.stringify(value)}`,
        RS256,
        { [name]: value },
        INVALID,
      ]),
    ),
  ])('%s', (_, fields, claims, expected) => {
    expect(createTestEngine(fields).ask(makeToken({ claims }))).toBe(expected);
  });

  it.each(['1e400', '-1e400', '1e300', '8640000000001', 'NaN', 'Infinity', '0x7fffffff', '1_000', '"1e10"', '+9e9'])(
    'exp written %s',
    (written) => {
      const claims = `{"sub":"alice","exp":${written}}`;
      expect(createTestEngine(RS256).ask(makeToken({ claims }))).toBe(INVALID);
    },
  );
});

describe('the issuer and the audience', () => {
  it.each<[string, object, string]>([
    ['both as expected', {}, 'allow alice'],
    ['another issuer', { iss: 'https://issuer.example.com/' }, INVALID],
    ['no issuer', { iss: undefined }, INVALID],
    ['a list of issuers', { iss: [CLAIMS.iss] }, INVALID],
    ['another audience', { aud: 'API' }, INVALID],
    ['no audience', { aud: undefined }, INVALID],
    ['the audience in a list', { aud: ['web', 'api'] }, 'allow alice'],
    ['a list without it', { aud: ['web'] }, INVALID],
    ['an empty list', { aud: [] }, INVALID],
    ['a list with something else', { aud: ['api', 7] }, INVALID],
    ['a list in a list', { aud: [['api']] }, INVALID],
    ['an object', { aud: { api: true } }, INVALID],
  ])('%s', (_, claims, expected) => expect(createTestEngine().ask(makeToken({ claims }))).toBe(expected));

  it('may be anything if the policy names none', () => {
    expect(createTestEngine(RS256).ask(makeToken({ claims: { iss: 7, aud: {} } }))).toBe('allow alice');
  });
});

describe('the required claims', () => {
  const { ask } = createTestEngine(`${RS256}, required_claims: [tenant, toString]`);

  it.each<[unknown, string]>([
    [undefined, MISSING_CLAIM],
    [null, MISSING_CLAIM],
    ['', MISSING_CLAIM],
    [[], MISSING_CLAIM],
    [{}, MISSING_CLAIM],
    [0, 'allow alice'],
    [false, 'allow alice'],
    [' ', 'allow alice'],
    [[null], 'allow alice'],
    [{ a: null }, 'allow alice'],
  ])('%j', (tenant, expected) => expect(ask(makeToken({ claims: { tenant, toString: 1 } }))).toBe(expected));

  it('must be members of the token, not inherited ones', () => {
    expect(ask(makeToken({ claims: { tenant: 1 } }))).toBe(MISSING_CLAIM);
    const inherits = `{"exp":${NOW_S + 9},"__proto__":{"tenant":1,"toString":1}}`;
    expect(ask(makeToken({ claims: inherits }))).toBe(MISSING_CLAIM);
  });

  it('are checked after the token was verified, and the block names the subject and the missing claim', () => {
    const { engine } = createTestEngine(`${RS256}, required_claims: [tenant]`);
    expect(ask(makeToken({ claims: { exp: NOW_S - 1 } }))).toBe(INVALID);
    const headers = [['authorization', makeToken()]] as const;
    expect(engine.decide(createTestRequest({ headers }), UNLIMITED)).toMatchObject({
      subject: 'alice',
      detail: 'needs the claim tenant',
    });
  });
});

describe('the subject of a token', () => {
  it.each<[string, unknown, string]>([
    ['none', undefined, 'allow '],
    ['an empty one', '', 'allow '],
    ['a name', 'Jürgen', 'allow Jürgen'],
    ['a number', 7, INVALID],
    ['null', null, INVALID],
    ['half a character', '\ud800', INVALID],
    ['one of 1,025 characters', 'x'.repeat(1025), INVALID],
  ])('%s', (_, sub, expected) => expect(createTestEngine(RS256).ask(makeToken({ claims: { sub } }))).toBe(expected));

  it.each([' alice', 'alice ', 'alice\r\nx-admin: 1', 'a\u0000', '\u00a0alice', 'a\u0085b', '\ufeffalice'])(
    '%j is rejected for a header, in which it would arrive changed',
    (sub) => {
      const token = makeToken({ claims: { sub } });
      expect(createTestEngine(`${RS256}, subject_header: X-User`).ask(token)).toBe(INVALID);
      expect(createTestEngine(RS256).ask(token)).toBe(`allow ${sub}`);
    },
  );

  it('is sent to the upstream in a header that is always removed from the client’s request', () => {
    const { engine } = createTestEngine(`${RS256}, subject_header: X-User, strip_credential: true`);
    const decide = (spec: TokenSpec) => {
      const verdict = engine.decide(createTestRequest({ headers: [['authorization', makeToken(spec)]] }), UNLIMITED);
      return verdict.kind === 'allow' ? verdict.grant : undefined;
    };
    const taken = { removeHeaders: ['authorization'], ownHeaders: new AlikeNames(['x-user']) };
    expect(decide({})).toEqual({ subject: 'alice', ...taken, setHeaders: [['x-user', 'alice']] });
    expect(decide({ claims: { sub: undefined } })).toEqual(taken);
    expect(engine.withheld).toEqual(taken);
  });

  it('has one grant per token', () => {
    const { engine } = createTestEngine(RS256);
    const token = makeToken();
    const grant = () => {
      const verdict = engine.decide(createTestRequest({ headers: [['authorization', token]] }), UNLIMITED);
      return verdict.kind === 'allow' ? verdict.grant : undefined;
    };
    expect(grant()).toBe(grant());
    expect(engine.withheld).toBeUndefined();
  });
});
