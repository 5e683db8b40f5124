import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { passkeyAnswerSchema } from './passkeys.ts';
import { backupCodeSchema, browserSessionSchema, loginResponseSchema, otpCodeSchema } from './sessions.ts';

/** The details of the error 401 auth.factor_required, for a sign-in that waits for its second factor. */
export const factorNeededSchema = z.object({
  /** Valid for five minutes and five attempts in sequence, and only at the routes of the second factor. */
  challenge: z.string(),
  expires_at: timeSchema,
  /** The factors of the account; empty if one has to be set up first (`enrol`). */
  factors: z.array(z.enum(['otp', 'backup_code', 'passkey'])),
  /** True: a second factor is required and the account has none. Continue at POST /auth/factor/enrol. */
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

/** Shown once: later answers contain neither the secret nor the codes. */
export const otpSetUpSchema = z.object({
  /** The content of the QR code for an authenticator. */
  otpauth_uri: z.string(),
  /** The same secret in base32, for typing. */
  secret: z.string(),
  backup_codes: z.array(z.string()).length(10),
});

/** Left out by accounts of a provider, which must have signed in within the last ten minutes. */
const currentPassword = z.string().min(1).max(1024);
const step = {
  tag: 'Session',
  family: 'identity',
  access: { kind: 'public' },
  project: 'none',
  rate: 'login',
} as const;
const own = {
  tag: 'Second factor',
  family: 'identity',
  access: { kind: 'authenticated' },
  people: true,
  project: 'none',
} as const;

export const secondFactorRoutes = {
  redeem: defineRoute({
    id: 'signInWithFactor',
    method: 'POST',
    path: '/auth/factor',
    summary: 'Finish a sign-in with the second factor, or with the first code of an authenticator that is being set up',
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
    summary: 'Finish a sign-in from a browser with the second factor; the session is a cookie',
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
    summary: 'Set up the second factor that a sign-in requires; send its first code to POST /auth/factor',
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
    summary: "Read whether the caller's second factor is on, and how many backup codes are left",
    ...own,
    audit: null,
    status: 200,
    response: z.object({
      /** True: a sign-in needs a code. */
      otp_enabled: z.boolean(),
      /** False during the set-up, and without a second factor. */
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
    summary: "Start to set up the caller's second factor; sign-ins need codes once the first one is verified",
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
    summary: 'Turn the second factor on with the first code of the authenticator; all other sessions end',
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
    summary: "Turn the caller's second factor off, with the password and a code",
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
    summary: 'Create ten new backup codes; the old ones become invalid',
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
    summary: 'Read whether members of the project, or without one all users, need a second factor',
    tag: 'Second factor',
    family: 'identity',
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
    summary:
      'Require a second factor of members of the project, or without one of all users, from their next sign-in on',
    tag: 'Second factor',
    family: 'identity',
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
    summary: 'Reset all second factors of a user who has lost them; the sessions of the user end',
    tag: 'Second factor',
    family: 'identity',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'factor.reset',
    params: z.strictObject({ user_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const secondFactorAuditWords = defineAuditWords({
  actions: {
    'factor.backup_codes': 'generate new backup codes',
    'factor.enforce': 'change the rule for second factors',
    'factor.enrol': 'set up an authenticator',
    'factor.off': 'disable own second factor',
    'factor.on': 'enable own second factor',
    'factor.reset': 'reset the second factor of user',
  },
  own: ['factor.backup_codes', 'factor.enrol', 'factor.off', 'factor.on'],
});
