import { parsePolicyDocument } from '@flotilla/policy';

/** Bytes of a body that a policy inspects; 0 if it inspects none or cannot be parsed. */
export function bodyCapOf(text: string): number {
  const document = parsePolicyDocument({ path: 'policy.yaml', content: text });
  if (!document.ok) return 0;
  const { inspect_request_body, max_request_body_bytes = 0 } = document.value.spec.defaults ?? {};
  return inspect_request_body === true ? max_request_body_bytes : 0;
}
