import { loadPolicyFiles } from '@flotilla/policy';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decision, type Finding } from '../decision.ts';
import type { TrialRequest } from '../explain/trial-request.ts';
import { TrialView } from '../explain/trial-view.ts';
import type { PolicyRuntime } from '../runtime.ts';
import { buildRuntime } from '../runtime-builder.ts';
import { createFindingEvent, FINDING_TEXT_MAX_CHARS } from './create-finding-event.ts';

const DOCUMENT = {
  apiVersion: 'flotilla.dev/v1',
  kind: 'SecurityPolicy',
  metadata: { name: 'shop' },
  spec: {
    domains: [
      {
        hosts: ['*'],
        routes: [
          {
            match: { path_prefix: '/v1' },
            policy: {
              engines: {
                api_key: {
                  keys: [{ key: 'SECRET-K', subject: 'till-7' }],
                  require_scope_for_path: [{ path_prefix: '/v1/admin', scope: 'admin' }],
                },
              },
            },
          },
        ],
      },
    ],
  },
};

function buildShop(): PolicyRuntime {
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(DOCUMENT) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return buildRuntime(loaded.value, { nowMs: 0 });
}

const SHOP = buildShop();

function findingsOf(request: TrialRequest) {
  const view = new TrialView(request);
  const findings: Finding[] = [];
  const decision = new Decision(SHOP, {
    onFinding: (finding) => findings.push(finding),
    onEngineError: () => undefined,
  });
  decision.decideHeaders(view, false);
  const circumstances = { node: 'edge-1', nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
  return findings.map((finding) => createFindingEvent(finding, view, circumstances));
}

it('a finding event names the client, the place and the reason, with the proven identity', () => {
  const [event] = findingsOf({
    method: 'GET',
    url: 'https://api.example.com/v1/admin/users?token=SECRET-Q',
    headers: [
      ['x-api-key', 'SECRET-K'],
      ['x-request-id', 'r-1'],
    ],
    source_ip: '192.0.2.1',
  });
  expect(event).toEqual({
    time: '2026-01-02T03:04:05.006Z',
    request_id: 'r-1',
    node: 'edge-1',
    host: 'api.example.com',
    method: 'GET',
    path: '/v1/admin/users',
    policy: 'shop',
    route: '/v1',
    engine: 'api_key',
    reason: 'apikey.scope',
    severity: 'high',
    verdict: 'blocked',
    status: 403,
    subject: 'till-7',
    source_ip: '192.0.2.1',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    detail: 'needs the scope admin',
  });
});

it('a finding event is bounded, plain and without secrets, whatever the client sends', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('\u001b[2J', '\r\nforged: line', '\u202egnp.exe', '\ud800', '\u0000', 'x'.repeat(5000), '"}\n{"'),
  );
  const request = fc.record({
    method: nasty,
    url: nasty.map((text) => `/v1/${text}?k=SECRET-Q`),
    host: nasty,
    headers: fc.tuple(fc.constant('x-request-id'), nasty).map((line) => [line, ['x-api-key', 'SECRET-H'] as const]),
  });
  fc.assert(
    fc.property(request, (trial) => {
      for (const event of findingsOf(trial)) {
        const text = JSON.stringify(event);
        expect(text).not.toMatch(/SECRET/);
        for (const [name, max] of Object.entries(FINDING_TEXT_MAX_CHARS)) {
          const value = event[name as keyof typeof FINDING_TEXT_MAX_CHARS];
          // An escaped character takes six.
          expect(value.length).toBeLessThanOrEqual(max * 6);
          expect(value).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
          expect(value.isWellFormed()).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});
