import { type Configuration, customFetch, ResponseBodyError, refreshTokenGrant } from 'openid-client';
import * as z from 'zod';

/**
 * A provider's answer to a refresh token.
 * taken: accepted, with the subject if it is given
 * refused: `invalid_grant` (RFC 6749, 5.2); the token is worthless
 * unclear: another error, or an answer without meaning
 * later: rate-limited or busy (429: RFC 6585, 4; RFC 6749, 4.1.2.1; RFC 8628, 3.5); the token is unchanged
 * silent: no answer; the token may have been used up
 */
type Answer =
  | { readonly kind: 'taken'; readonly subject: string | undefined }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unclear' | 'later' | 'silent'; readonly error: unknown };

const LATER = new Set(['temporarily_unavailable', 'slow_down']);

/**
 * Redeems a refresh token, which many providers accept only once. Passes the replacement to `keep` before it checks the
 * rest of the answer, so that no error in it loses the token.
 */
export async function redeem(
  client: Configuration,
  token: string,
  keep: (next: string) => Promise<void>,
): Promise<Answer> {
  let isTaken = false;
  let isLater = false;
  client[customFetch] = async (url, options) => {
    const response = await fetch(url, { ...options, body: options.body ?? null });
    const body = await response.clone().text();
    isLater = response.status === 429 || (!response.ok && LATER.has(read(body).error ?? ''));
    if (response.ok) {
      const next = read(body).refresh_token;
      if (next !== undefined && next !== token) await keep(next);
      isTaken = true;
    }
    return response;
  };
  try {
    const tokens = await refreshTokenGrant(client, token);
    return { kind: 'taken', subject: tokens.claims()?.sub };
  } catch (error) {
    if (isTaken) return { kind: 'unclear', error };
    if (isLater) return { kind: 'later', error };
    if (!(error instanceof ResponseBodyError) || error.status >= 500) return { kind: 'silent', error };
    return error.error === 'invalid_grant' ? { kind: 'refused' } : { kind: 'unclear', error };
  }
}

const bodySchema = z.object({
  refresh_token: z.string().min(1).optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});

function read(body: string): z.infer<typeof bodySchema> {
  try {
    return bodySchema.safeParse(JSON.parse(body)).data ?? {};
  } catch {
    return {};
  }
}
