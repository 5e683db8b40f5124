import { redactDump } from '../../../envoy-admin/redact.ts';

/** Masks secrets in JSON, such as a bootstrap of Envoy. Throws if it is not JSON. */
export function redactJson(text: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  return `${JSON.stringify(redactDump(parsed), null, 1)}\n`;
}
