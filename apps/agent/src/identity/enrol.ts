import { createHash, X509Certificate } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Backoff, type Clock, err, type Logger, ok, type Result, sleep } from '@flotilla/kit';
import { fleet, parseEnrolmentToken } from '@flotilla/proto';
import {
  type ControllerAddress,
  callEnrol,
  describeFailure,
  openClient,
  readErrorCode,
} from '../link/controller-client.ts';
import type { Identity, IdentityFiles } from './identity-files.ts';
import { createKeyPem, createRequest, toCertificatePem } from './keys.ts';
import { pinAuthority } from './pin.ts';

export interface EnrolOptions {
  readonly controller: ControllerAddress;
  readonly files: IdentityFiles;
  readonly facts: () => Promise<fleet.HostFacts>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Prints a message for the person who started the agent: why it is still waiting. */
  readonly print: (text: string) => void;
}

const BACKOFF = { initialMs: 500, maxMs: 15_000 };
/** Smaller differences between the clocks do not matter to certificates. */
const SKEW_MAX_MS = 60_000;

export function digestToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Enrols the host with a token. Retries until it succeeds, the controller rejects the token, or `signal` aborts.
 *
 * The key is on disk before the first attempt. If the agent dies after the controller has consumed the token and before its
 * answer is on disk, the next start repeats the request with the same key and gets a certificate for the same client.
 */
export async function enrol(token: string, options: EnrolOptions): Promise<Result<Identity, string>> {
  const parts = parseEnrolmentToken(token);
  if (!parts)
    return err('this is not an enrolment token: it must begin with "flte_" and have two parts. Copy the whole token.');
  const { signal, print, logger } = options;
  const keyPem = await keepKey(token, options.files);
  const backoff = new Backoff(BACKOFF);
  let printed = '';
  while (!signal.aborted) {
    const tried = await tryOnce({ token, keyPem, fingerprint: parts.fingerprint }, options);
    if (tried.ok) {
      await options.files.write(tried.value);
      logger.info({ client_id: tried.value.clientId }, 'agent.enrolled');
      return tried;
    }
    if (tried.error.isFinal) return err(tried.error.message);
    if (tried.error.message !== printed) print(`${tried.error.message}; retrying`);
    printed = tried.error.message;
    await sleep(backoff.next(), signal);
  }
  return err('the agent was stopped before it had enrolled');
}

/** Returns the key for this token: the key of an earlier attempt, or a new one. */
async function keepKey(token: string, files: IdentityFiles): Promise<string> {
  const tokenDigest = digestToken(token);
  const before = await files.readPending();
  if (before?.tokenDigest === tokenDigest) return before.keyPem;
  const keyPem = await createKeyPem();
  await files.writePending({ keyPem, tokenDigest });
  return keyPem;
}

interface Failure {
  /** Another attempt cannot succeed. */
  readonly isFinal: boolean;
  readonly message: string;
}

const FINAL_CODES = new Set([
  'enrolment.token_unknown',
  'enrolment.token_used',
  'enrolment.token_expired',
  'enrolment.csr_invalid',
]);

async function tryOnce(
  { token, keyPem, fingerprint }: { token: string; keyPem: string; fingerprint: string },
  { controller, facts, clock, logger }: EnrolOptions,
): Promise<Result<Identity, Failure>> {
  const pinned = await pinAuthority(controller, fingerprint, clock.now());
  if (!pinned.ok) {
    return err({ isFinal: pinned.error.kind === 'wrong_authority', message: pinned.error.message });
  }
  const caPem = pinned.value;
  const client = openClient(controller, { caPem });
  try {
    const csrDer = await createRequest(keyPem);
    const answer = await callEnrol(client, create(fleet.EnrolRequestSchema, { token, csrDer, facts: await facts() }));
    const { clientId, projectId } = answer;
    const certificatePem = toCertificatePem(answer.certificateDer);
    warnOfSkew(new X509Certificate(answer.certificateDer), clock, logger);
    return ok({
      kind: 'enrolled',
      keyPem,
      certificatePem,
      caPem,
      clientId,
      projectId,
      tokenDigest: digestToken(token),
    });
  } catch (error) {
    return err({ isFinal: FINAL_CODES.has(readErrorCode(error) ?? ''), message: describeFailure(error) });
  } finally {
    client.close();
  }
}

function warnOfSkew(certificate: X509Certificate, clock: Clock, logger: Logger): void {
  const now = clock.now();
  const early = certificate.validFromDate.getTime() - now;
  if (early > SKEW_MAX_MS) {
    logger.warn({ ahead_ms: early }, 'agent.clock_behind');
  } else if (certificate.validToDate.getTime() < now) {
    logger.warn({ behind_ms: now - certificate.validToDate.getTime() }, 'agent.clock_ahead');
  }
}
