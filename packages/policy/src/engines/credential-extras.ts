import * as z from 'zod';
import { foldHeaderName } from '../header-names.ts';
import type { Complaint } from '../problem.ts';
import { HEADER_NAME } from './engine-spec.ts';

/** Fields of every engine with a credential. All are off by default. */
export const credentialExtras = {
  strip_credential: z.boolean().optional().meta({
    description: 'Removes the credential from the request before it goes to the upstream',
    default: false,
  }),
  subject_header: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'Header that passes the subject to the upstream. Values that clients send in this header are removed, also in mode detect',
    ),
};

/** Headers that frame or route requests, and those that proxies set themselves. */
const RESERVED = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te', 'trailer'],
  ...['content-length', 'content-type', 'content-encoding', 'expect', 'via', 'forwarded', 'x-real-ip', 'x-request-id'],
]);
const RESERVED_PREFIX = /^(?:x-forwarded-|x-envoy-|x-svc-|grpc-)/;

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_PREFIX.test(lower);
}

/** True if some upstream would read the header as a reserved one. */
function isTakenForReserved(name: string): boolean {
  return isReservedHeader(foldHeaderName(name).replaceAll('_', '-'));
}

interface CredentialPlace {
  /** Prefix of the rules of the engine's problems. */
  readonly engine: string;
  /** The headers that may contain the credential. */
  readonly headers: readonly { readonly name: string; readonly path: Complaint['path'] }[];
}

/** Checks these fields against the credential headers. Values may have any shape. */
export function checkCredentialExtras(
  block: Readonly<Record<string, unknown>>,
  { engine, headers }: CredentialPlace,
): Complaint[] {
  const complaints: Complaint[] = [];
  const subjectHeader = block.subject_header;
  if (typeof subjectHeader === 'string' && subjectHeader !== '') {
    const complain = (message: string) =>
      complaints.push({ path: ['subject_header'], rule: `${engine}.subject_header`, message });
    if (!HEADER_NAME.test(subjectHeader)) complain('is not a header name');
    else if (isTakenForReserved(subjectHeader)) complain('is a header that proxies route or frame requests by');
    else if (headers.some(({ name }) => foldHeaderName(name) === foldHeaderName(subjectHeader))) {
      complain('carries the credential; the subject needs a header of its own');
    }
  }
  if (block.strip_credential !== true) return complaints;
  for (const { name, path } of headers) {
    if (!isReservedHeader(name)) continue;
    const message = 'cannot be used: proxies route or frame requests by this header';
    complaints.push({ path, rule: `${engine}.strip_credential`, message });
  }
  return complaints;
}
