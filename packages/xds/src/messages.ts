/**
 * The discovery messages as plain objects, field for field as a protobuf runtime decodes them
 * (envoy/service/discovery/v3/discovery.proto), so that decoded messages can be passed in unchanged.
 */
export interface StatusDetail {
  readonly code: number;
  readonly message: string;
}

export interface DeltaRequest {
  readonly typeUrl: string;
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  readonly initialResourceVersions: { readonly [name: string]: string };
  readonly responseNonce: string;
  readonly errorDetail?: StatusDetail | undefined;
}

export interface SotwRequest {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly resourceNames: readonly string[];
  readonly responseNonce: string;
  readonly errorDetail?: StatusDetail | undefined;
}
