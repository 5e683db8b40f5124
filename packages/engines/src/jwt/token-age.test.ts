import { FakeClock } from '@flotilla/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import { createJwtEngine } from './jwt-engine.ts';
import {
  AGE,
  ask,
  askAt,
  createTestEngine,
  INVALID,
  loadJwtOptions,
  makeToken,
  NOW_MS,
  NOW_S,
  RS256,
  SECRET,
  TYPE,
} from './testing.ts';

const issued = (iat: unknown, exp = NOW_S + 86_400) => makeToken({ claims: { iat, exp } });

describe('max_age', () => {
  const FIELDS = `${RS256}, max_age: 60s, leeway: 5s`;

  it.each<[string, unknown, string]>([
    ['issued now', NOW_S, 'allow alice'],
    ['issued in time', NOW_S - 60, 'allow alice'],
    ['as old as leeway gives it', NOW_S - 65, 'allow alice'],
    ['a moment older', NOW_S - 65.001, AGE],
    ['far older', 0, AGE],
    ['of a time before all times', -1e12, AGE],
    ['from the future, within leeway', NOW_S + 5, 'allow alice'],
    ['from the future', NOW_S + 5.001, INVALID],
    ['from a future beyond all calendars', 1e300, INVALID],
    ['without iat', undefined, AGE],
    ['with null', null, INVALID],
    ['with text', String(NOW_S), INVALID],
    ['with a list', [NOW_S], INVALID],
  ])('a token %s', (_, iat, expected) => expect(createTestEngine(FIELDS).ask(issued(iat))).toBe(expected));

  it('has no effect unless it is set', () => {
    expect(createTestEngine(RS256).ask(makeToken(), makeToken())).toBe('allow alice');
    expect(createTestEngine(RS256).ask(issued(0))).toBe('allow alice');
  });

  it('applies to a cached token, too, and the token is valid again if the clock goes back', () => {
    const { clock, ask: tell } = createTestEngine(FIELDS);
    const token = issued(NOW_S);
    expect(tell(token)).toBe('allow alice');
    clock.advance(65_000);
    expect(tell(token)).toBe('allow alice');
    clock.advance(1);
    expect([tell(token), tell(token)]).toEqual([AGE, AGE]);
    clock.advance(-1);
    expect(tell(token)).toBe('allow alice');
    clock.advance(-70_001);
    expect(tell(token)).toBe(INVALID);
  });

  it('does not affect the reason for an expired token or one with a bad signature', () => {
    const { ask: tell } = createTestEngine(FIELDS);
    expect(tell(issued(0, NOW_S - 5))).toBe(INVALID);
    expect(tell(`${issued(0).slice(0, -8)}AAAAAAAA`)).toBe(INVALID);
  });

  it('names the subject of the token', () => {
    const { engine } = createTestEngine(FIELDS);
    const request = createTestRequest({ headers: [['authorization', issued(0)]] });
    expect(engine.decide(request, UNLIMITED)).toMatchObject({
      subject: 'alice',
      detail: 'needs an iat of the last 60 seconds',
    });
  });
});

describe('type', () => {
  const tell = (header: object) => createTestEngine(`${RS256}, type: at+jwt`).ask(makeToken({ header }));

  it.each<[unknown, string]>([
    ['at+jwt', 'allow alice'],
    ['AT+JWT', 'allow alice'],
    ['application/at+jwt', 'allow alice'],
    ['Application/At+Jwt', 'allow alice'],
    [undefined, TYPE],
    ['', TYPE],
    ['JWT', TYPE],
    ['id+jwt', TYPE],
    ['text/at+jwt', TYPE],
    ['application/application/at+jwt', TYPE],
    ['application/at+jwt/x', TYPE],
    ['at+jwt; v=1', TYPE],
    [' at+jwt', TYPE],
    ['at+jwt\u0000', TYPE],
    [7, INVALID],
    [null, INVALID],
    [['at+jwt'], INVALID],
  ])('%j', (typ, expected) => expect(tell({ alg: 'RS256', ...(typ === undefined ? {} : { typ }) })).toBe(expected));

  it('may be written with its prefix, and is compared exactly except for ASCII case', () => {
    const { ask: prefixed } = createTestEngine(`${RS256}, type: application/kb+jwt`);
    expect(prefixed(makeToken({ header: { alg: 'RS256', typ: 'KB+JWT' } }))).toBe('allow alice');
    // The Kelvin sign, whose lowercase is k.
    expect(prefixed(makeToken({ header: { alg: 'RS256', typ: '\u212ab+jwt' } }))).toBe(TYPE);
  });

  it('is rejected if the header contains it twice', () => {
    expect(
      createTestEngine(`${RS256}, type: at+jwt`).ask(
        makeToken({ header: '{"alg":"RS256","typ":"JWT","typ":"at+jwt"}' }),
      ),
    ).toBe(INVALID);
  });

  it('is checked for each token, even after one with the same key and another type', () => {
    const { ask: tellAll } = createTestEngine(`${RS256}, type: at+jwt`);
    const good = makeToken({ header: { alg: 'RS256', typ: 'at+jwt' } });
    const bad = makeToken({ header: { alg: 'RS256', typ: 'JWT' } });
    expect([tellAll(good), tellAll(bad), tellAll(bad), tellAll(good)]).toEqual([
      'allow alice',
      TYPE,
      TYPE,
      'allow alice',
    ]);
  });
});

describe('a cached token under age, type and claim rules', () => {
  it('gets the verdict of a new engine, however the clock moves and whatever the path', () => {
    const options = loadJwtOptions(
      `algorithms: [HS256], hmac_secret_file: files/key, leeway: 2s, max_age: 8s, type: at+jwt, require_claims_for_path:
 [{ path_prefix: /a, claim: scope, any_of: [x] }, { path_prefix: /a/b, claim: scope, any_of: [y] }]`,
      SECRET,
    );
    const times = fc.integer({ min: -20, max: 20 });
    const tokens = fc
      .record({
        exp: times,
        iat: fc.option(times),
        typ: fc.constantFrom('at+jwt', 'AT+JWT', 'JWT'),
        scope: fc.constantFrom('', 'x', 'y', 'y x'),
      })
      .map(({ exp, iat, typ, scope }) =>
        makeToken({
          algorithm: 'HS256',
          header: { alg: 'HS256', typ },
          claims: { exp: NOW_S + exp, scope, ...(iat === null ? {} : { iat: NOW_S + iat }) },
        }),
      );
    const steps = fc.tuple(fc.nat(2), fc.integer({ min: -15_000, max: 15_000 }), fc.constantFrom('/', '/a', '/a%2fb'));
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(tokens, { minLength: 1, maxLength: 3 }),
        fc.array(steps, { maxLength: 12 }),
        (known, walk) => {
          const clock = new FakeClock(NOW_MS);
          const engine = createJwtEngine(options, clock);
          for (const [index, step, target] of walk) {
            clock.advance(step);
            const token = known[index % known.length] ?? '';
            const verdict = askAt(engine, target, token);
            seen.add(verdict);
            expect(verdict).toBe(askAt(createJwtEngine(options, clock), target, token));
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(seen.size).toBe(5);
    expect(ask(createJwtEngine(options, new FakeClock(NOW_MS)))).toBe('403 jwt.missing high');
  });
});
