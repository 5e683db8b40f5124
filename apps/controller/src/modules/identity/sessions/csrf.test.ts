import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CsrfTokens } from './csrf.ts';

const SECRET = randomBytes(48);

describe('CSRF tokens', () => {
  it('are the same on every controller of an installation, and after a restart', () => {
    const token = new CsrfTokens(SECRET).tokenOf('session-1');
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(new CsrfTokens(SECRET).isTokenOf('session-1', token)).toBe(true);
  });

  it('do not work with another session or in another installation', () => {
    const tokens = new CsrfTokens(SECRET);
    expect(tokens.isTokenOf('session-2', tokens.tokenOf('session-1'))).toBe(false);
    expect(new CsrfTokens(randomBytes(48)).isTokenOf('session-1', tokens.tokenOf('session-1'))).toBe(false);
  });

  it('must be complete and correct', () => {
    const tokens = new CsrfTokens(SECRET);
    const token = tokens.tokenOf('session-1');
    for (const wrong of [undefined, '', token.slice(1), `${token}=`, token.toLowerCase(), [token], 'é'.repeat(43)])
      expect(tokens.isTokenOf('session-1', wrong), String(wrong)).toBe(false);
  });
});
