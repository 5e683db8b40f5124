import type { Collection } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';

export interface Starter {
  /** Unique among all. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly collection: Collection;
  /** Of filters and extensions. */
  readonly type?: string;
  readonly name: string;
  readonly resource: JsonObject;
}

export function any(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

export function socketAddress(address: string, port: number): JsonObject {
  return { socket_address: { address, port_value: port } };
}

export const ADS: JsonObject = { ads: {}, resource_api_version: 'V3' };
