import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

const WAIT = { interval: 50 };

let t: TestController;
beforeAll(async () => {
  t = await createTestController({
    SVC_PUBLIC_URL: 'https://fleet.example.com',
    SVC_ALLOWED_HOSTS: 'metrics.example.org',
    SVC_TRUSTED_PROXIES: '1',
  });
});
afterAll(() => t.close());

const ask = (url: string, headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
  t.app.inject({ method, url, headers });

describe('a request for an unknown host of the controller (attack 15)', () => {
  const REBOUND = { host: 'rebound.example.net:8099' };

  it.each([
    ['GET', '/metrics'],
    ['GET', '/auth/realms'],
    ['POST', '/auth/login'],
    ['POST', '/auth/browser/login'],
    ['GET', '/api/openapi.json'],
    ['GET', '/'],
    ['GET', '/nothing/here'],
  ] as const)('is refused before anything is answered: %s %s', async (method, url) => {
    const answer = await ask(url, REBOUND, method);
    expect([answer.statusCode, answer.json().code]).toEqual([421, 'request.host']);
  });

  it('is also refused if the page claims another host, or is signed in', async () => {
    const claims: Record<string, string>[] = [
      { 'x-forwarded-host': 'fleet.example.com' },
      { 'x-forwarded-host': 'localhost' },
      { forwarded: 'host=fleet.example.com' },
      { authorization: `Bearer ${t.owner.token}` },
    ];
    for (const headers of claims)
      expect((await ask('/api/v3/profile', { ...REBOUND, ...headers })).statusCode).toBe(421);
  });

  it('is answered for a probe', async () => {
    expect((await ask('/healthz', REBOUND)).statusCode).toBe(200);
    expect((await ask('/readyz', REBOUND)).statusCode).toBe(200);
  });

  it('is answered for allowed names', async () => {
    for (const host of [
      'fleet.example.com',
      'metrics.example.org:8099',
      '127.0.0.1:8099',
      'localhost:8099',
      'controller',
    ])
      expect((await ask('/metrics', { host })).statusCode, host).toBe(200);
  });

  it('follows the public URL in the settings', async () => {
    const put = await t.owner.call('PUT', '/api/v3/setting/documents/general', {
      name: 'North',
      public_url: 'https://north.example.com',
    });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    await vi.waitFor(async () => {
      expect((await ask('/metrics', { host: 'north.example.com' })).statusCode).toBe(200);
      expect((await ask('/metrics', { host: 'fleet.example.com' })).statusCode).toBe(421);
    }, WAIT);
  });
});
