import { type CLOUD_SETTINGS, failCloudLookup } from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';
import type * as z from 'zod';
import {
  type AddressGuard,
  type OutboundAnswer,
  type OutboundRequest,
  sendRequest,
} from '../../../../platform/outbound/index.ts';
import { errorAnswerSchema } from './answers.ts';

/** A stored cloud with its decrypted secrets. */
export interface Cloud {
  readonly name: string;
  /** Changes with every write of the settings. */
  readonly version: string;
  readonly settings: z.output<(typeof CLOUD_SETTINGS)['schema']>;
}

/** Bytes of one answer: a page of 500 ports has about 1 MiB. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
const DEADLINE_MS = 15_000;
const REASON_MAX = 300;

/** Sends one request to the cloud. Throws cloud.unreachable without an answer. */
export async function callCloud(
  { name, settings }: Cloud,
  request: Omit<OutboundRequest, 'guard' | 'signal' | 'ca'>,
  guard: AddressGuard,
): Promise<OutboundAnswer> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const ca = settings.ca_cert ?? undefined;
    return await sendRequest({ ...request, ca, guard, signal }, { maxBytes: ANSWER_MAX_BYTES });
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${DEADLINE_MS / 1000} s` : toErrorMessage(error);
    throw failCloudLookup('cloud.unreachable', { cloud: name, reason }, { cause: error });
  }
}

/** Parses the JSON of an answer. Throws cloud.invalid_answer. */
export function readAnswer<S extends z.ZodType>({ name }: Cloud, schema: S, answer: OutboundAnswer): z.output<S> {
  const { success, data, error } = schema.safeParse(parseJson(answer));
  if (success) return data;
  const [issue] = error.issues;
  const reason = issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'it is not JSON';
  throw failCloudLookup('cloud.invalid_answer', { cloud: name, reason });
}

/** The error for a status other than the expected one. No secret of the cloud is repeated. */
export function refusedBy({ name, settings: { auth } }: Cloud, answer: OutboundAnswer): Error {
  const message = errorAnswerSchema.safeParse(parseJson(answer)).data ?? '';
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const why = isRedirect ? 'it redirects, which is not followed' : message.replaceAll(/\s+/g, ' ').slice(0, REASON_MAX);
  const secrets = [auth.password, auth.application_credential_secret].filter((secret) => typeof secret === 'string');
  const reason = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), `${answer.status} ${why}`.trim());
  return failCloudLookup('cloud.refused', { cloud: name, reason });
}

function parseJson({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
