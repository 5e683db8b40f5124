import { fromBinary } from '@bufbuild/protobuf';
import { discovery } from '@flotilla/proto';
import { countEncodings, createResource, encodeDeltaResponse, encodeSotwResponse, RESOURCE_TYPE } from '@flotilla/xds';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const typeUrl = RESOURCE_TYPE.cluster;
const resourceArbitrary = fc
  .record({ name: fc.string({ unit: 'grapheme' }), bytes: fc.uint8Array({ maxLength: 40_000 }) })
  .map(({ name, bytes }) => createResource({ typeUrl, name }, bytes));
const responseArbitrary = fc.record({
  resources: fc.array(resourceArbitrary, { maxLength: 5 }),
  removed: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
  nonce: fc.string(),
});

it('delta responses can be decoded by any protobuf runtime', () => {
  fc.assert(
    fc.property(responseArbitrary, ({ resources, removed, nonce }) => {
      const bytes = encodeDeltaResponse({ typeUrl, nonce, systemVersion: 'v', resources, removed });
      const message = fromBinary(discovery.DeltaDiscoveryResponseSchema, bytes);
      expect(message).toMatchObject({ typeUrl, nonce, systemVersionInfo: 'v', removedResources: removed });
      expect(message.resources.map(({ name, version }) => [name, version])).toEqual(
        resources.map(({ name, version }) => [name, version]),
      );
      for (const [index, { resource }] of message.resources.entries()) {
        expect(resource?.typeUrl).toBe(typeUrl);
        expect(Buffer.compare(resource?.value ?? Buffer.alloc(0), resources[index]?.bytes ?? Buffer.alloc(0))).toBe(0);
      }
    }),
    { numRuns: 100 },
  );
});

it('state-of-the-world responses can be decoded by any protobuf runtime', () => {
  fc.assert(
    fc.property(responseArbitrary, ({ resources, nonce }) => {
      const bytes = encodeSotwResponse({ typeUrl, nonce, version: '1', resources });
      const message = fromBinary(discovery.DiscoveryResponseSchema, bytes);
      expect(message).toMatchObject({ typeUrl, nonce, versionInfo: '1' });
      expect(message.resources.map(({ value }) => Buffer.from(value).toString('hex'))).toEqual(
        resources.map((resource) => Buffer.from(resource.bytes).toString('hex')),
      );
    }),
    { numRuns: 100 },
  );
});

it('a resource is encoded once, however many responses contain it', () => {
  const resource = createResource({ typeUrl, name: 'shared' }, Buffer.from('content'));
  const before = countEncodings();
  for (const nonce of ['1', '2', '3']) {
    encodeDeltaResponse({ typeUrl, nonce, systemVersion: '', resources: [resource], removed: [] });
  }
  expect(countEncodings() - before).toBe(1);
});
