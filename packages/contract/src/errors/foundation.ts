import { createFail } from './define.ts';

/** Errors that any route may answer with. */
export const FOUNDATION_ERRORS = {
  'request.invalid': { status: 400, message: 'The request is not valid: {reason}' },
  'request.malformed': { status: 400, message: 'The body cannot be read: {reason}' },
  'request.media_type': { status: 415, message: 'Send the body as {type}.' },
  'request.too_large': { status: 413, message: 'The body is larger than the {limit} bytes that this route takes.' },
  'request.not_found': { status: 404, message: 'There is no {method} {path}.' },
  'request.method': { status: 405, message: 'There is no {method} {path}. What there is: {allow}.' },
  'request.timeout': { status: 408, message: 'The request did not come to its end in time.' },
  'request.headers_too_large': { status: 431, message: 'The headers of the request are larger than 16 KiB.' },
  'request.not_http': { status: 400, message: 'This is no request of HTTP/1.1.' },
  'request.too_many': { status: 429, message: 'Too many requests; try again in {seconds} seconds.' },
  'auth.missing': { status: 401, message: 'Send an access token: Authorization: Bearer <token>.' },
  'auth.invalid': { status: 401, message: 'The token is not valid here. Sign in again.' },
  'auth.expired': { status: 401, message: 'The access token has expired. Get a new one at POST /refresh.' },
  'auth.session_ended': { status: 401, message: 'The session has ended. Sign in again.' },
  'auth.refresh_replayed': {
    status: 401,
    message: 'The refresh token was used before: the session has ended, somebody may have a copy. Sign in again.',
  },
  'signing_key.outside': {
    status: 409,
    message: 'Access tokens are signed with SVC_JWT_SECRET. Change it where the controller is started.',
  },
  'auth.wrong_credentials': { status: 401, message: 'The user name or the password is wrong.' },
  'auth.wrong_kind': { status: 401, message: 'This kind of token is not taken here.' },
  'auth.throttled': {
    status: 429,
    message: 'Too many failed attempts for this account. Try again in {seconds} seconds.',
  },
  'role.forbidden': { status: 403, message: 'This needs the role {roles} in the project; yours is {role}.' },
  'owner.required': { status: 403, message: 'Only owners of the installation may do this.' },
  'project.missing': { status: 400, message: 'Say which project: the {where} "project" is missing.' },
  'project.forbidden': { status: 403, message: 'You are not a member of this project.' },
  'record.not_found': { status: 404, message: 'There is no {kind} {name} in this project.' },
  'record.exists': { status: 409, message: 'A {kind} named {name} already exists.' },
  'record.in_use': { status: 409, message: '{kind} {name} is in use. Remove what uses it first.' },
  'record.stale': {
    status: 412,
    message: 'The {kind} has changed since you read it (now revision {revision}). Read it again and merge your change.',
  },
  'record.present': {
    status: 412,
    message:
      'The {kind} is there (revision {revision}), and If-None-Match is for one that is not. Leave it out to change it.',
  },
  'idempotency.mismatch': {
    status: 409,
    message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
  },
  'idempotency.withheld': {
    status: 403,
    message:
      'What was answered to this Idempotency-Key is not told again: your role or your permissions have changed since, what it tells of is gone, or an earlier version of the controller stored it.',
  },
  'service.unavailable': { status: 503, message: '{reason}' },
  'internal.failure': {
    status: 500,
    message: 'Something failed here that should not. Quote the request id when you report it.',
  },
} as const;

export const fail = createFail(FOUNDATION_ERRORS);
