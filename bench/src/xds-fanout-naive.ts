import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { discovery } from '@flotilla/proto';
import { DeltaStream, type ResourceSource, type StreamObserver } from '@flotilla/xds';
import { createAdsService } from '@flotilla/xds-grpc';
import type { ServerDuplexStream } from '@grpc/grpc-js';

type Call = ServerDuplexStream<discovery.DeltaDiscoveryRequest, Buffer>;

/** The baseline: the same streams, but every response is encoded as a whole for every stream. */
export function createNaiveService(open: (nodeId: string) => { source: ResourceSource; observer: StreamObserver }) {
  const handleDelta = (call: Call) => {
    let stream: DeltaStream | undefined;
    call.on('data', (request: discovery.DeltaDiscoveryRequest) => {
      stream ??= new DeltaStream({
        ...open(request.node?.id ?? ''),
        send: ({ typeUrl, nonce, resources, removed }) => {
          const message = create(discovery.DeltaDiscoveryResponseSchema, {
            typeUrl,
            nonce,
            removedResources: [...removed],
            resources: resources.map(({ name, version, bytes }) => ({
              name,
              version,
              resource: { typeUrl, value: bytes },
            })),
          });
          return call.write(Buffer.from(toBinary(discovery.DeltaDiscoveryResponseSchema, message)));
        },
      });
      stream.receive(request);
    });
    call.on('drain', () => stream?.resume());
    const end = () => stream?.close();
    call
      .on('cancelled', end)
      .on('error', end)
      .on('end', () => call.end());
  };
  const { definition } = createAdsService({ openStream: () => ({ accept: false, code: 5, message: '' }) });
  const decode = (bytes: Buffer) => fromBinary(discovery.DeltaDiscoveryRequestSchema, bytes);
  const { DeltaAggregatedResources } = definition;
  return {
    definition: { DeltaAggregatedResources: { ...DeltaAggregatedResources, requestDeserialize: decode } },
    handlers: { DeltaAggregatedResources: handleDelta },
  };
}
