import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { passkeyAnswerSchema } from './passkeys.ts';
import { backupCodeSchema, browserSessionSchema, loginResponseSchema, otpCodeSchema } from './sessions.ts';

/** What a sign-in that waits for a second factor is told, beside the error: 401 auth.factor_required. */
export const factorNeededSchema = z.object({
  /** Worth one try after another, five in all, for five minutes, and nothing but at the routes of the second factor. */
  challenge: z.string(),
  expires_at: timeSchema,
  /** What the account has; empty where one has to be set up first (`enrol`). */
  factors: z.array(z.enum(['otp', 'backup_code', 'passkey'])),
  /** A second factor is required here and the account has none: POST /auth/factor/enrol. */
  enrol: z.boolean(),
});
export type FactorNeeded = z.infer<typeof factorNeededSchema>;

const challengeSchema = z.string().min(1).max(128);
const givenFactor = { otp_code: otpCodeSchema.optional(), backup_code: backupCodeSchema.optional() };
const isOne = (given: { otp_code?: string | undefined; backup_code?: string | undefined }) =>
  (given.otp_code === undefined) !== (given.backup_code === undefined);
const ONE = 'either otp_code or backup_code';

export const factorBodySchema = z
  .strictObject({ challenge: challengeSchema, ...givenFactor, passkey: passkeyAnswerSchema.optional() })
  .refine(({ passkey, ...codes }) => (passkey === undefined ? isOne(codes) : !codes.otp_code && !codes.backup_code), {
    message: `${ONE} or passkey`,
  });

/** Shown once: neither the secret nor the codes are answered again. */
export const otpSetUpSchema = z.object({
  /** For an authenticator; what the QR code holds. */
  otpauth_uri: z.string(),
  /** The same secret to type in, base32. */
  secret: z.string(),
  backup_codes: z.array(z.string()).length(10),
});

/** Left out by those who sign in at a provider: their sign-in must have been in the last ten minutes. */
const currentPassword = z.string().min(1).max(1024);
const step = { tag: 'Session', access: { kind: 'public' }, project: 'none', rate: 'login' } as const;
const own = { tag: 'Second factor', access: { kind: 'authenticated' }, people: true, project: 'none' } as const;

export const secondFactorRoutes = {
  redeem: defineRoute({
    id: 'signInWithFactor',
    method: 'POST',
    path: '/auth/factor',
    summary: 'Finish a sign-in with the second factor; with the first code of an authenticator that is being set up',
    ...step,
    audit: 'session.login',
    body: factorBodySchema,
    status: 200,
    response: loginResponseSchema,
  }),
  redeemInBrowser: defineRoute({
    id: 'browserSignInWithFactor',
    method: 'POST',
    path: '/auth/browser/factor',
    summary: 'The same from a browser: the session is a cookie',
    ...step,
    audit: 'session.login',
    body: factorBodySchema,
    status: 200,
    response: browserSessionSchema,
  }),
  enrolAtSignIn: defineRoute({
    id: 'enrolFactorAtSignIn',
    method: 'POST',
    path: '/auth/factor/enrol',
    summary: 'Set up the second factor that a sign-in asks for; its first code goes to POST /auth/factor',
    ...step,
    audit: 'factor.enrol',
    body: z.strictObject({ challenge: challengeSchema }),
    status: 200,
    response: otpSetUpSchema,
  }),
  status: defineRoute({
    id: 'getOtpStatus',
    method: 'GET',
    path: '/api/v3/profile/otp/status',
    summary: 'Whether the own second factor is on, and how many backup codes are left',
    ...own,
    audit: null,
    status: 200,
    response: z.object({
      /** Codes are asked for at sign-in. */
      otp_enabled: z.boolean(),
      /** False while it is being set up, and where there is none. */
      otp_verified: z.boolean(),
      otp_enforced: z.boolean(),
      backup_codes_count: z.int(),
      backup_codes_remain: z.boolean(),
    }),
  }),
  enable: defineRoute({
    id: 'enableOtp',
    method: 'POST',
    path: '/api/v3/profile/otp/enable',
    summary: 'Begin to set up the own second factor; codes are asked for once the first one was verified',
    ...own,
    audit: 'factor.enrol',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ password: currentPassword.optional() }),
    status: 200,
    response: otpSetUpSchema,
  }),
  verify: defineRoute({
    id: 'verifyOtp',
    method: 'POST',
    path: '/api/v3/profile/otp/verify',
    summary: 'Switch the second factor on with the first code of the authenticator; all other sessions end',
    ...own,
    audit: 'factor.on',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ code: otpCodeSchema }),
    status: 204,
  }),
  disable: defineRoute({
    id: 'disableOtp',
    method: 'POST',
    path: '/api/v3/profile/otp/disable',
    summary: 'Switch the own second factor off, with the password and a code',
    ...own,
    audit: 'factor.off',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ password: currentPassword.optional(), ...givenFactor }).refine(isOne, { message: ONE }),
    status: 204,
  }),
  regenerateBackupCodes: defineRoute({
    id: 'regenerateBackupCodes',
    method: 'POST',
    path: '/api/v3/profile/otp/regenerate-backup-codes',
    summary: 'Ten new backup codes; the old ones are worth nothing from now on',
    ...own,
    audit: 'factor.backup_codes',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ otp_code: otpCodeSchema }),
    status: 200,
    response: z.object({ backup_codes: z.array(z.string()).length(10) }),
  }),
  getEnforcement: defineRoute({
    id: 'getOtpConfig',
    method: 'GET',
    path: '/api/v3/setting/otp-config',
    summary: 'Whether members of the project need a second factor; without a project: everybody',
    tag: 'Second factor',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query_or_all',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({ project: idSchema.nullable(), otp_enforced: z.boolean() }),
  }),
  setEnforcement: defineRoute({
    id: 'setOtpConfig',
    method: 'PUT',
    path: '/api/v3/setting/otp-config',
    summary: 'Ask members of the project for a second factor from their next sign-in on; without a project: everybody',
    tag: 'Second factor',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query_or_all',
    audit: 'factor.enforce',
    query: z.strictObject({ project: idSchema.optional(), ...dryRunQuery }),
    body: z.strictObject({ otp_enforced: z.boolean() }),
    status: 200,
    response: z.object({ project: idSchema.nullable(), otp_enforced: z.boolean() }),
  }),
  resetUser: defineRoute({
    id: 'resetUserFactors',
    method: 'POST',
    path: '/api/v3/setting/otp/reset-user/:user_id',
    summary: 'Take all second factors from a user who has lost them; the sessions of the user end',
    tag: 'Second factor',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'factor.reset',
    params: z.strictObject({ user_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
