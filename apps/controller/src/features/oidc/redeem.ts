import { type Configuration, customFetch, ResponseBodyError, refreshTokenGrant } from 'openid-client';
import { z } from 'zod';

/**
 * What a provider says to who redeems a refresh token.
 * taken     and of whom it is, where it says so
 * refused   `invalid_grant` (RFC 6749, 5.2): the token is worth nothing
 * unclear   another error, or an answer that says nothing
 * silent    no answer of the provider; whether it has taken the token is not known
 */
type Answer =
  | { readonly kind: 'taken'; readonly subject: string | undefined }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unclear' | 'silent'; readonly error: unknown };

/**
 * Redeems a refresh token, which many a provider takes once. The one that comes in its place goes to `keep` before anything
 * else of the answer is looked at: nothing that is wrong with it loses the token.
 */
export async function redeem(
  client: Configuration,
  token: string,
  keep: (next: string) => Promise<void>,
): Promise<Answer> {
  let isTaken = false;
  client[customFetch] = async (url, options) => {
    const response = await fetch(url, { ...options, body: options.body ?? null });
    if (response.ok) {
      const next = readNext(await response.clone().text());
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
    if (!(error instanceof ResponseBodyError) || error.status >= 500) return { kind: 'silent', error };
    return error.error === 'invalid_grant' ? { kind: 'refused' } : { kind: 'unclear', error };
  }
}

const answerSchema = z.object({ refresh_token: z.string().min(1) });

function readNext(body: string): string | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(body)).data?.refresh_token;
  } catch {
    return undefined;
  }
}
