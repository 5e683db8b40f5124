import type { Collection, StarterQuestionKind, StarterQuestionRecord } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';

export interface Starter {
  /** Unique among all starters. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly collection: Collection;
  /** For filters and extensions. */
  readonly type?: string;
  readonly name: string;
  readonly resource: JsonObject;
  /** Further places of the name in the resource. */
  readonly namedAt?: readonly string[];
  /** The questions besides the name. */
  readonly questions?: readonly StarterQuestionRecord[];
}

export function ask(kind: StarterQuestionKind, label: string, ...paths: string[]): StarterQuestionRecord {
  return { kind, label, paths };
}

export function any(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

export function socketAddress(address: string, port: number): JsonObject {
  return { socket_address: { address, port_value: port } };
}

export const ADS: JsonObject = { ads: {}, resource_api_version: 'V3' };

/** For a StdoutAccessLog: the most useful fields of a request, which every supported version has. */
export const JSON_ACCESS_LOG: JsonObject = {
  log_format: {
    json_format: {
      time: '%START_TIME%',
      method: '%REQ(:METHOD)%',
      path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
      status: '%RESPONSE_CODE%',
      flags: '%RESPONSE_FLAGS%',
      duration_ms: '%DURATION%',
      upstream: '%UPSTREAM_HOST%',
      request_id: '%REQ(X-REQUEST-ID)%',
    },
  },
};
