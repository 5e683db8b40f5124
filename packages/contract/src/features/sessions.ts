import { z } from 'zod';
import { roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, timeSchema } from '../schemas.ts';

/** A code of an authenticator (RFC 6238: six digits, a new one every 30 s). */
export const otpCodeSchema = z.string().regex(/^\d{6}$/, 'is six digits');
/** One of ten, each good once; hyphens, spaces and case do not matter. */
export const backupCodeSchema = z.string().min(10).max(32);

export const loginBodySchema = z.strictObject({
  username: z.string().min(1).max(256),
  password: z.string().min(1).max(1024),
  /** Where the account has a second factor; without it the answer is 401 auth.factor_required with a challenge. */
  otp_code: otpCodeSchema.optional(),
  backup_code: backupCodeSchema.optional(),
});

export const sessionUserSchema = z.object({
  id: idSchema,
  username: z.string(),
  email: z.string().nullable(),
  is_owner: z.boolean(),
  /** Owners of the installation: every project, as its owner; the first 1,000 by name. */
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
  /** To be sent as `x-csrf-token` with everything but GET and HEAD; the same for as long as the session lasts. */
  csrf_token: z.string(),
});

export const sessionRoutes = {
  login: defineRoute({
    id: 'login',
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in with user name and password',
    tag: 'Session',
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
    summary: 'A new access token for a refresh token, sent as the bearer',
    tag: 'Session',
    access: { kind: 'refresh' },
    project: 'none',
    audit: null,
    status: 200,
    response: z.object({ access_token: z.string(), expires_at: timeSchema }),
  }),
  logout: defineRoute({
    id: 'logout',
    method: 'POST',
    path: '/logout',
    summary: 'End this session: its access and refresh tokens are worth nothing from now on',
    tag: 'Session',
    access: { kind: 'authenticated' },
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
    summary: 'Whose session the cookie is, and its CSRF token; 401 where nobody is signed in',
    tag: 'Session',
    access: { kind: 'cookie' },
    project: 'none',
    audit: null,
    status: 200,
    response: browserSessionSchema,
  }),
  browserLogout: defineRoute({
    id: 'browserLogout',
    method: 'POST',
    path: '/auth/browser/logout',
    summary: 'End the session of the cookie and take the cookie away',
    tag: 'Session',
    access: { kind: 'cookie' },
    project: 'none',
    audit: 'session.logout',
    status: 204,
  }),
};
