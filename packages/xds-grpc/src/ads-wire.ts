import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { discovery } from '@flotilla/proto';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

const SERVICE_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
export const DELTA_PATH = `${SERVICE_PATH}/DeltaAggregatedResources`;

export function encodeDeltaRequest(request: discovery.DeltaDiscoveryRequest): Buffer {
  return Buffer.from(toBinary(discovery.DeltaDiscoveryRequestSchema, request));
}

export function decodeDeltaResponse(bytes: Buffer): discovery.DeltaDiscoveryResponse {
  return fromBinary(discovery.DeltaDiscoveryResponseSchema, bytes);
}

export const createDeltaRequest = (
  fields: Parameters<typeof create<typeof discovery.DeltaDiscoveryRequestSchema>>[1],
) => create(discovery.DeltaDiscoveryRequestSchema, fields);

const same = (bytes: Buffer): Buffer => bytes;

/** Responses are passed as encoded bytes, because their resources are encoded once for all streams. */
const deltaMethod: MethodDefinition<discovery.DeltaDiscoveryRequest, Buffer> = {
  path: DELTA_PATH,
  requestStream: true,
  responseStream: true,
  requestSerialize: encodeDeltaRequest,
  requestDeserialize: (bytes) => fromBinary(discovery.DeltaDiscoveryRequestSchema, bytes),
  responseSerialize: same,
  responseDeserialize: same,
};

const sotwMethod: MethodDefinition<discovery.DiscoveryRequest, Buffer> = {
  path: `${SERVICE_PATH}/StreamAggregatedResources`,
  requestStream: true,
  responseStream: true,
  requestSerialize: (request) => Buffer.from(toBinary(discovery.DiscoveryRequestSchema, request)),
  requestDeserialize: (bytes) => fromBinary(discovery.DiscoveryRequestSchema, bytes),
  responseSerialize: same,
  responseDeserialize: same,
};

export const adsDefinition = {
  StreamAggregatedResources: sotwMethod,
  DeltaAggregatedResources: deltaMethod,
} satisfies ServiceDefinition;
