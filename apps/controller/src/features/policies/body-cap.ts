import { ENVOY_BUFFER_DEFAULT_BYTES, parsePolicyDocument } from '@flotilla/policy';
import type { ListenerBuffer } from './listener-buffer-store.ts';

/** Bytes of a body that a policy inspects; 0 for one that inspects none, and for a text that is no policy. */
export function bodyCapOf(text: string): number {
  const document = parsePolicyDocument({ path: 'policy.yaml', content: text });
  if (!document.ok) return 0;
  const { inspect_request_body, max_request_body_bytes = 0 } = document.value.spec.defaults ?? {};
  return inspect_request_body === true ? max_request_body_bytes : 0;
}

/** The first listener that would hand over only a part of a body which the policy lets in; a part may look harmless. */
export function findShortListener(cap: number, buffers: readonly ListenerBuffer[]): ListenerBuffer | undefined {
  return cap === 0 ? undefined : buffers.find(({ bytes }) => (bytes ?? ENVOY_BUFFER_DEFAULT_BYTES) <= cap);
}

export function describeShortListener(policy: string, cap: number, { listener, bytes }: ListenerBuffer): string {
  const held = bytes === undefined ? `${ENVOY_BUFFER_DEFAULT_BYTES} (Envoy's default)` : String(bytes);
  return `listener ${listener} holds ${held} bytes of a request's body, and policy ${policy} inspects bodies of up to ${cap}: set per_connection_buffer_limit_bytes of the listener to more than ${cap}, or lower max_request_body_bytes of the policy`;
}
