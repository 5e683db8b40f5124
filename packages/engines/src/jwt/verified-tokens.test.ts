import { FakeClock } from '@flotilla/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOW } from '../engine.ts';
import { createJwtEngine } from './jwt-engine.ts';
import {
  ask,
  createTestEngine,
  INVALID,
  loadJwtOptions,
  makeToken,
  NOW_MS,
  NOW_S,
  pemOf,
  RS256,
  SECRET,
} from './testing.ts';
import { GENERATION_MAX_CHARS, GENERATION_MAX_TOKENS, TokenMemory, VerifiedTokens } from './verified-tokens.ts';

const HS256 = 'algorithms: [HS256], hmac_secret_file: files/key, leeway: 2s';

const tokenOf = (value: string) => ({
  value,
  verdict: ALLOW,
  subject: {},
  unmet: [],
  youngUntilMs: 0,
  fromMs: 0,
  untilMs: 1,
});

describe('a cached token', () => {
  it('expires at the same moment as one seen for the first time', () => {
    const { clock, ask: tell } = createTestEngine(RS256);
    const token = makeToken({ claims: { exp: NOW_S + 10 } });
    expect(tell(token)).toBe('allow alice');
    clock.advance(9999);
    expect(tell(token)).toBe('allow alice');
    clock.advance(1);
    expect(tell(token)).toBe(INVALID);
    expect(tell(token)).toBe(INVALID);
  });

  it('becomes valid at its moment, even if it was presented before', () => {
    const { clock, ask: tell } = createTestEngine(RS256);
    const token = makeToken({ claims: { nbf: NOW_S + 5 } });
    expect(tell(token)).toBe(INVALID);
    clock.advance(4999);
    expect(tell(token)).toBe(INVALID);
    clock.advance(1);
    expect(tell(token)).toBe('allow alice');
  });

  it('gets the verdict of a new engine, however the clock moves', () => {
    const options = loadJwtOptions(HS256, SECRET);
    const times = fc.integer({ min: -20, max: 20 });
    const tokens = fc.record({ exp: times, nbf: fc.option(times), iat: fc.option(times) }).map(({ exp, nbf, iat }) =>
      makeToken({
        algorithm: 'HS256',
        claims: {
          exp: NOW_S + exp,
          ...(nbf === null ? {} : { nbf: NOW_S + nbf }),
          ...(iat === null ? {} : { iat: NOW_S + iat }),
        },
      }),
    );
    fc.assert(
      fc.property(
        fc.array(tokens, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -30_000, max: 30_000 })), { maxLength: 12 }),
        (known, steps) => {
          const clock = new FakeClock(NOW_MS);
          const engine = createJwtEngine(options, clock);
          for (const [index, step] of steps) {
            clock.advance(step);
            const token = known[index % known.length] ?? '';
            expect(ask(engine, token)).toBe(ask(createJwtEngine(options, clock), token));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not validate another text with the same end', () => {
    const { ask: tell } = createTestEngine(RS256);
    const token = makeToken();
    expect(tell(`Bearer ${token}`)).toBe('allow alice');
    const [header = '', , signature = ''] = token.split('.');
    const claims = Buffer.from(`{"sub":"root","exp":${NOW_S + 60}}`).toString('base64url');
    expect(tell(`Bearer ${header}.${claims}.${signature}`)).toBe(INVALID);
    expect(tell(signature.slice(-32))).toBe(INVALID);
    expect(tell(`Bearer ${token}`)).toBe('allow alice');
  });

  it('is unknown to an engine with another key', () => {
    const { ask: tell } = createTestEngine(RS256);
    expect(tell(makeToken())).toBe('allow alice');
    expect(ask(createTestEngine(RS256, pemOf('otherRsa')).engine, makeToken())).toBe(INVALID);
  });

  it('that lacks a claim is rejected for that each time', () => {
    const { ask: tell } = createTestEngine(`${RS256}, required_claims: [tenant]`);
    const token = makeToken();
    expect([tell(token), tell(token)]).toEqual(['403 jwt.missing_claim high', '403 jwt.missing_claim high']);
  });
});

describe('VerifiedTokens', () => {
  it('keeps used tokens and drops others', () => {
    const tokens = new VerifiedTokens(new TokenMemory());
    tokens.add(tokenOf('used'));
    tokens.add(tokenOf('unused'));
    for (let n = 0; n < 4 * GENERATION_MAX_TOKENS; n++) {
      tokens.add(tokenOf(`flood-${n}`));
      if (n % 1000 === 0) expect(tokens.get('used')?.value).toBe('used');
      expect(tokens.size).toBeLessThanOrEqual(2 * GENERATION_MAX_TOKENS);
    }
    expect(tokens.get('used')).toBeDefined();
    expect(tokens.get('unused')).toBeUndefined();
  });

  it('is bounded in characters', () => {
    const tokens = new VerifiedTokens(new TokenMemory());
    const padding = 'x'.repeat(16_000);
    for (let n = 0; n < 2000; n++) tokens.add(tokenOf(`${padding}${n}`.padEnd(16_200, '-') + n));
    expect(tokens.size).toBeGreaterThan(GENERATION_MAX_CHARS / 16_384);
    expect(tokens.size * 16_200).toBeLessThanOrEqual(2 * GENERATION_MAX_CHARS);
  });

  it('counts characters exactly: replaced, aged and deleted tokens release theirs', () => {
    const tokens = new VerifiedTokens(new TokenMemory());
    const tail = '-'.repeat(32);
    for (let n = 0; n < 3000; n++) tokens.add(tokenOf(`${String(n).padEnd(16_000, 'x')}${tail}`));
    expect(tokens.size).toBe(1);
    for (let n = 0; n < 3000; n++) {
      const token = tokenOf(`${'y'.repeat(16_000)}${n}`.padEnd(16_100, '.').concat(String(n).padStart(32, '0')));
      tokens.add(token);
      tokens.delete(token);
    }
    expect(tokens.get(`${'2999'.padEnd(16_000, 'x')}${tail}`)).toBeDefined();
    expect(tokens.size).toBe(1);
  });

  it('of many engines use no more memory than those of one, and are not mixed up', () => {
    const memory = new TokenMemory();
    const engines = Array.from({ length: 500 }, () => new VerifiedTokens(memory));
    for (const [index, tokens] of engines.entries()) {
      for (let n = 0; n < 100; n++) tokens.add(tokenOf(`token-${n} of ${index}`));
      tokens.add(tokenOf('the same for all'));
    }
    const kept = engines.reduce((sum, { size }) => sum + size, 0);
    expect(kept).toBeLessThanOrEqual(2 * GENERATION_MAX_TOKENS);
    expect(kept).toBeGreaterThan(GENERATION_MAX_TOKENS);
    const last = engines.at(-1);
    expect(last?.get('token-7 of 499')).toBeDefined();
    expect(last?.get('token-7 of 498')).toBeUndefined();
    const same = engines.at(-2)?.get('the same for all');
    expect(same).toBeDefined();
    expect(last?.get('the same for all')).not.toBe(same);
  });

  it('finds a token only by its whole text', () => {
    const tokens = new VerifiedTokens(new TokenMemory());
    const end = 'e'.repeat(40);
    tokens.add(tokenOf(`a${end}`));
    expect(tokens.get(`b${end}`)).toBeUndefined();
    expect(tokens.get(end)).toBeUndefined();
    tokens.add(tokenOf(`b${end}`));
    expect(tokens.get(`a${end}`)).toBeUndefined();
    expect(tokens.get(`b${end}`)).toBeDefined();
  });
});

describe('an engine under a flood', () => {
  it('of rejected tokens keeps all valid ones', () => {
    const { ask: tell } = createTestEngine(HS256, SECRET);
    const good = makeToken({ algorithm: 'HS256' });
    expect(tell(good)).toBe('allow alice');
    const [header = '', claims = ''] = good.split('.');
    for (let n = 0; n < 5_000; n++) {
      expect(tell(`${header}.${claims}.${Buffer.from(`forged ${n}`).toString('base64url')}`)).toBe(INVALID);
    }
    expect(tell(good)).toBe('allow alice');
  });
});
