import { generateSync } from 'otplib';
import type { Answer, TestCaller, TestController } from '../../../../testing/controller.ts';

/**
 * The authenticator's code for now, or for a number of 30-second steps later. The next one is still valid when this
 * step ends.
 */
export function codeOf(secret: string, stepsAhead = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + stepsAhead * 30 });
}

/** Six digits that are not a valid code at about this time. */
export function wrongCode(secret: string): string {
  const good = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => codeOf(secret, steps)));
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find((code) => !good.has(code)) ??
    ''
  );
}

export interface TestFactor {
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** Turns on the caller's second factor; its session continues. Spends the code of this step. */
export async function turnFactorOn(caller: TestCaller): Promise<TestFactor> {
  const begun = await caller.call('POST', '/api/v3/profile/otp/enable', { password: caller.password });
  const { secret, backup_codes: backupCodes } = begun.body;
  const verified = await caller.call('POST', '/api/v3/profile/otp/verify', { code: codeOf(secret) });
  if (verified.status !== 204) throw new Error(`the factor is not on: ${JSON.stringify(verified.body)}`);
  return { secret, backupCodes };
}

/** Sends an anonymous request. */
export async function post(t: Pick<TestController, 'app'>, url: string, payload: object): Promise<Answer> {
  const response = await t.app.inject({ method: 'POST', url, payload });
  return {
    status: response.statusCode,
    body: response.body === '' ? undefined : response.json(),
    headers: response.headers,
  };
}

export async function logIn(t: Pick<TestController, 'app'>, caller: TestCaller, code: object = {}): Promise<Answer> {
  const { username, password } = caller;
  return post(t, '/auth/login', { username, password, ...code });
}

/** Signs in with the password alone and returns the challenge. */
export async function askForChallenge(t: Pick<TestController, 'app'>, caller: TestCaller): Promise<string> {
  const { status, body } = await logIn(t, caller);
  if (status !== 401 || body.code !== 'auth.factor_required') throw new Error(`no challenge: ${JSON.stringify(body)}`);
  return body.challenge;
}
