import { setImmediate as afterIo } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { headOf, type PolicyRuntime, packPolicies, RuntimeBuilder } from '@flotilla/decision';
import type { CallHandler } from '@flotilla/grpc-wire';
import { loadPolicyFiles } from '@flotilla/policy';
import { extProc } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { collectAll } from '../collect-garbage.ts';
import { SILENT_LISTENER } from '../testing/silent-listener.ts';
import { ExchangeServer } from './exchange.ts';

const INIT: Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1] = {
  request: {
    case: 'requestHeaders',
    value: {
      headers: {
        headers: [
          { key: ':method', value: 'POST' },
          { key: ':path', value: '/graphql' },
          { key: ':authority', value: 'a.test' },
          { key: 'content-type', value: 'application/json' },
        ],
      },
    },
  },
};
const HEADERS = Buffer.from(toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, INIT)));

function createRuntime(): PolicyRuntime {
  const policy = { engines: { graphql: { max_depth: 3 }, rate_limit: { requests_per_second: 100 } } };
  const domains = ['a.test', 'b.test'].map((host) => ({ hosts: [host], policy }));
  const spec = { defaults: { inspect_request_body: true, max_request_body_bytes: 1000 }, domains };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const builder = new RuntimeBuilder(headOf(loaded.value), { nowMs: 0 });
  for (const piece of packPolicies(loaded.value.domains)) builder.add(piece);
  return builder.finish();
}

it('a request that waits for its body keeps no replaced bundle in memory', async () => {
  let current = createRuntime();
  const server = new ExchangeServer({ trustedHops: 0, listener: SILENT_LISTENER, currentRuntime: () => current });
  const sent: string[] = [];
  const call = { send: () => sent.push('send'), finish: () => sent.push('finish'), fail: () => sent.push('fail') };
  const waiting: CallHandler = server.open(call);
  waiting.onMessage(HEADERS, 0, HEADERS.length);
  expect(sent).toEqual(['send']);
  const past = new WeakRef(current);
  const index = new WeakRef(current.index);
  current = createRuntime();
  // The target of a weak reference lives until the end of its turn.
  await afterIo();
  collectAll();
  expect([past.deref() === undefined, index.deref() === undefined]).toEqual([true, true]);
  waiting.onAbort(true);
});
