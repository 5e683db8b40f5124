import type { ServerResponse } from 'node:http';
import { serveIssuer } from '@flotilla/testkit/oidc-provider';
import { allowInsecureRequests, Configuration } from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redeem } from './redeem.ts';

let answer: (response: ServerResponse) => unknown;
let issuer: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ issuer, close } = await serveIssuer((_request, response) => answer(response)));
});
afterAll(() => close());

const json = (status: number, body: object) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function ask(keep?: () => Promise<void>) {
  const client = new Configuration({ issuer, token_endpoint: `${issuer}/token` }, 'flotilla');
  allowInsecureRequests(client);
  const kept: string[] = [];
  const { kind } = await redeem(client, 'before', keep ?? (async (next) => void kept.push(next)));
  return { kind, kept };
}

const TOKENS = { access_token: 'a', token_type: 'Bearer' };

describe('a redeemed refresh token', () => {
  it.each([
    ['with another in its place', json(200, { ...TOKENS, refresh_token: 'next' }), 'taken', ['next']],
    ['with itself', json(200, { ...TOKENS, refresh_token: 'before' }), 'taken', []],
    ['with none', json(200, TOKENS), 'taken', []],
    [
      'with an invalid ID token',
      json(200, { ...TOKENS, refresh_token: 'next', id_token: 'x.y.z' }),
      'unclear',
      ['next'],
    ],
    ['with no access token', json(200, { refresh_token: 'next' }), 'unclear', ['next']],
    ['with a text that is no JSON', (to: ServerResponse) => to.end('welcome'), 'unclear', []],
    ['by invalid_grant', json(400, { error: 'invalid_grant' }), 'refused', []],
    ['by another error', json(400, { error: 'invalid_scope' }), 'unclear', []],
    ['by too many requests', (to: ServerResponse) => to.writeHead(429).end('later'), 'later', []],
    ['by too many requests, with an error', json(429, { error: 'invalid_grant' }), 'later', []],
    ['by one that has no time', json(400, { error: 'temporarily_unavailable' }), 'later', []],
    ['by one that has no time and has failed', json(503, { error: 'temporarily_unavailable' }), 'later', []],
    ['by one that is asked too often', json(400, { error: 'slow_down' }), 'later', []],
    ['by invalid_grant of a server that has failed', json(500, { error: 'invalid_grant' }), 'silent', []],
    ['by a page of somebody on the way', (to: ServerResponse) => to.writeHead(403).end('<html>'), 'silent', []],
    ['by nothing', (to: ServerResponse) => to.destroy(), 'silent', []],
  ])('that is answered %s', async (_name, how, kind, kept) => {
    answer = how;
    expect(await ask()).toEqual({ kind, kept });
  });

  it('has an unknown outcome if its replacement could not be stored', async () => {
    answer = json(200, { ...TOKENS, refresh_token: 'next' });
    expect(await ask(() => Promise.reject(new Error('the database is away')))).toMatchObject({ kind: 'silent' });
  });
});
