import { ENVOY_BUFFER_DEFAULT_BYTES } from '@flotilla/policy';
import type { ListenerBuffer } from './listener-buffer-store.ts';

/** The first listener that would pass on only a part of a body that the policy accepts; the part may look harmless. */
export function findShortListener(cap: number, buffers: readonly ListenerBuffer[]): ListenerBuffer | undefined {
  return cap === 0 ? undefined : buffers.find(({ bytes }) => (bytes ?? ENVOY_BUFFER_DEFAULT_BYTES) <= cap);
}

export function describeShortListener(policy: string, cap: number, { listener, bytes }: ListenerBuffer): string {
  const held = bytes === undefined ? `${ENVOY_BUFFER_DEFAULT_BYTES} (Envoy's default)` : String(bytes);
  return `listener ${listener} holds ${held} bytes of a request's body, and policy ${policy} inspects bodies of up to ${cap}: set per_connection_buffer_limit_bytes of the listener to more than ${cap}, or lower max_request_body_bytes of the policy`;
}
