import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

/** A code of an authenticator (RFC 6238: six digits, a new one every 30 s). */
export const otpCodeSchema = z.string().regex(/^\d{6}$/, 'is six digits');
/** One of ten single-use codes; hyphens, spaces and case do not matter. */
export const backupCodeSchema = z.string().min(10).max(32);

export const loginBodySchema = z.strictObject({
  username: z.string().min(1).max(256),
  password: z.string().min(1).max(1024),
  /** Realm of the account: one of GET /auth/realms without `start`. Default: local accounts. */
  realm: z.string().max(32).optional(),
  /** For accounts with a second factor; without it the answer is 401 auth.factor_required with a challenge. */
  otp_code: otpCodeSchema.optional(),
  backup_code: backupCodeSchema.optional(),
});

export const sessionSchema = z.object({
  id: idSchema,
  /** True for the session of this request. */
  current: z.boolean(),
  kind: z.enum(['bearer', 'browser']),
  /** Derived from the user agent: `Firefox on Linux`, or its first word. */
  device: z.string(),
  /** Factors of the sign-in besides the password. */
  factors: z.array(z.string()),
  created_at: timeSchema,
  /** Rounded to the minute. */
  last_used_at: timeSchema,
  expires_at: timeSchema,
  /** Address at which it began. */
  ip: z.string().nullable(),
  last_ip: z.string().nullable(),
  user_agent: z.string().nullable(),
});

export const sessionUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  email: z.string().nullable(),
  is_owner: z.boolean(),
  /** An administrator set the password. Until it is changed, everything else answers 403 password.change_required. */
  must_change_password: z.boolean(),
  /** Owners of the installation get every project, as its owner; the first 1,000 by name. */
  memberships: z.array(z.object({ project: idSchema, project_name: z.string(), role: roleSchema })),
});

export const loginResponseSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_at: timeSchema,
  refresh_expires_at: timeSchema,
  user: sessionUserSchema,
});

export const browserSessionSchema = z.object({
  user: sessionUserSchema,
  /** Send it as `x-csrf-token` with every method but GET and HEAD. It stays the same for the whole session. */
  csrf_token: z.string(),
  /** Refresh the access token before this time (POST /auth/browser/refresh). */
  expires_at: timeSchema,
});

export const sessionRoutes = {
  login: defineRoute({
    id: 'login',
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with user name and password',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'public' },
    project: 'none',
    rate: 'login',
    audit: 'session.login',
    body: loginBodySchema,
    status: 200,
    response: loginResponseSchema,
  }),
  refresh: defineRoute({
    id: 'refresh',
    method: 'POST',
    path: '/refresh',
    summary:
      'Get a new access token for a refresh token, sent as the bearer token; on request also a new refresh token',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'refresh' },
    beforeNewPassword: true,
    everyTime: true,
    project: 'none',
    rate: 'login',
    audit: 'session.refresh',
    /** Without `rotate` the refresh token stays valid until the session ends. */
    body: z.strictObject({ rotate: z.boolean().optional() }).nullish(),
    status: 200,
    response: z.object({
      access_token: z.string(),
      expires_at: timeSchema,
      refresh_token: z.string().optional(),
      refresh_expires_at: timeSchema,
    }),
  }),
  logout: defineRoute({
    id: 'logout',
    method: 'POST',
    path: '/logout',
    summary: 'End this session and its access and refresh tokens',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'authenticated' },
    beforeNewPassword: true,
    everyTime: true,
    people: true,
    project: 'none',
    audit: 'session.logout',
    status: 204,
  }),
  browserLogin: defineRoute({
    id: 'browserLogin',
    method: 'POST',
    path: '/auth/browser/login',
    summary: 'Sign in from a browser: the session is a cookie that scripts cannot read',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'public' },
    project: 'none',
    rate: 'login',
    audit: 'session.login',
    body: loginBodySchema,
    status: 200,
    response: browserSessionSchema,
  }),
  browserSession: defineRoute({
    id: 'browserSession',
    method: 'GET',
    path: '/auth/browser/session',
    summary: 'Read the session of the cookie with its user and CSRF token; 401 if nobody is signed in',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'cookie' },
    beforeNewPassword: true,
    project: 'none',
    audit: null,
    status: 200,
    response: browserSessionSchema,
  }),
  browserRefresh: defineRoute({
    id: 'browserRefresh',
    method: 'POST',
    path: '/auth/browser/refresh',
    summary:
      'Renew the tokens in the cookies of a browser; the previous refresh token stays valid for 30 s and gets the same ones',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'browser_refresh' },
    beforeNewPassword: true,
    everyTime: true,
    project: 'none',
    rate: 'login',
    audit: 'session.refresh',
    status: 200,
    response: browserSessionSchema,
  }),
  browserLogout: defineRoute({
    id: 'browserLogout',
    method: 'POST',
    path: '/auth/browser/logout',
    summary: 'End the session of the cookie and delete the cookie',
    tag: 'Session',
    family: 'identity',
    access: { kind: 'cookie' },
    beforeNewPassword: true,
    everyTime: true,
    project: 'none',
    audit: 'session.logout',
    status: 204,
  }),
};

const userParams = z.strictObject({ user_id: idSchema });
const ofUser = {
  people: true,
  tag: 'Users',
  family: 'identity',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
} as const;
const scopeQuery = z.strictObject({ project: idSchema.optional(), ...dryRunQuery });

/** Sessions of other users, for callers who may change the account itself. */
export const userSessionRoutes = {
  list: defineRoute({
    id: 'listUserSessions',
    method: 'GET',
    path: '/api/v3/setting/users/:user_id/sessions',
    summary: 'List the live sessions of a user, newest first',
    ...ofUser,
    audit: null,
    params: userParams,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({ items: z.array(sessionSchema), next_cursor: z.null() }),
  }),
  endAll: defineRoute({
    id: 'endUserSessions',
    method: 'DELETE',
    path: '/api/v3/setting/users/:user_id/sessions',
    summary: 'End all sessions of a user',
    ...ofUser,
    audit: 'session.end',
    params: userParams,
    query: scopeQuery,
    status: 204,
  }),
  end: defineRoute({
    id: 'endUserSession',
    method: 'DELETE',
    path: '/api/v3/setting/users/:user_id/sessions/:session_id',
    summary: 'End one session of a user',
    ...ofUser,
    audit: 'session.end',
    params: userParams.extend({ session_id: idSchema }),
    query: scopeQuery,
    status: 204,
  }),
  unlock: defineRoute({
    id: 'unlockUser',
    method: 'POST',
    path: '/api/v3/setting/users/:user_id/unlock',
    summary: 'Forget the failed sign-ins of a user, from every address, so that the next attempt need not wait',
    ...ofUser,
    audit: 'user.unlock',
    params: userParams,
    query: scopeQuery,
    status: 204,
  }),
};

export const sessionsAuditWords = defineAuditWords({
  actions: {
    'session.end': 'end sessions of user',
    'session.login': 'sign in',
    'session.logout': 'sign out',
    'session.refresh': 'renew a session',
    'user.unlock': 'unlock user',
  },
  own: ['session.login', 'session.logout', 'session.refresh'],
});
