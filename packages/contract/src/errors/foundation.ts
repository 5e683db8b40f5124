import { createFail } from './define.ts';

/** Errors that any route may answer with. */
export const FOUNDATION_ERRORS = {
  'request.invalid': { status: 400, message: 'The request is not valid: {reason}' },
  'request.malformed': { status: 400, message: 'The body cannot be read: {reason}' },
  'request.media_type': { status: 415, message: 'Send the body as {type}.' },
  'request.too_large': { status: 413, message: 'The body is larger than the {limit} bytes that this route takes.' },
  'request.not_found': { status: 404, message: 'There is no {method} {path}.' },
  'request.method': { status: 405, message: 'There is no {method} {path}. Supported methods: {allow}.' },
  'request.timeout': { status: 408, message: 'The request was not complete in time.' },
  'request.headers_too_large': { status: 431, message: 'The headers of the request are larger than 16 KiB.' },
  'request.host': {
    status: 421,
    message:
      'This controller does not accept the host name {host}. Open it at its public address, or ask an operator to add the name to SVC_ALLOWED_HOSTS.',
  },
  'request.not_http': { status: 400, message: 'This is not an HTTP/1.1 request.' },
  'request.too_many': { status: 429, message: 'Too many requests; try again in {seconds} seconds.' },
  'request.too_many_large': {
    status: 429,
    message: 'At most {limit} large requests {of} are handled at a time. Try again when one of them has finished.',
  },
  'request.busy': { status: 503, message: 'Too many large requests are being handled. Try again in a moment.' },
  'request.too_slow': {
    status: 422,
    message:
      'This large request took longer than {seconds} seconds and was stopped. Check what it has changed before you send it again, and send less at a time.',
  },
  'request.too_heavy': {
    status: 422,
    message: 'This large request exceeded its memory limit. Send less at a time.',
  },
  'auth.missing': { status: 401, message: 'Send an access token: Authorization: Bearer <token>.' },
  'auth.invalid': { status: 401, message: 'The token is not valid here. Sign in again.' },
  'auth.expired': { status: 401, message: 'The access token has expired. Get a new one at POST /refresh.' },
  'auth.session_ended': { status: 401, message: 'The session has ended. Sign in again.' },
  'auth.refresh_replayed': {
    status: 401,
    message: 'The refresh token was already used, so somebody may have a copy. The session has ended. Sign in again.',
  },
  'signing_key.outside': {
    status: 409,
    message: 'Access tokens are signed with SVC_JWT_SECRET. Change it in the environment of the controller.',
  },
  'auth.wrong_credentials': { status: 401, message: 'The user name or the password is wrong.' },
  'auth.wrong_kind': { status: 401, message: 'This route does not accept this kind of token.' },
  'auth.throttled': {
    status: 429,
    message: 'Too many failed attempts for this account. Try again in {seconds} seconds.',
  },
  'role.forbidden': { status: 403, message: 'This needs the role {roles} in the project; yours is {role}.' },
  'owner.required': { status: 403, message: 'Only owners of the installation may do this.' },
  'project.missing': { status: 400, message: 'The {where} "project" is missing. Set it to the id of the project.' },
  'project.forbidden': { status: 403, message: 'You are not a member of a project with this id.' },
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
      'The {kind} already exists (revision {revision}), but If-None-Match requires that it does not. Leave the header out to change it.',
  },
  'idempotency.mismatch': {
    status: 409,
    message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
  },
  'idempotency.withheld': {
    status: 403,
    message:
      'The answer to this Idempotency-Key cannot be repeated: your role or permissions have changed, its subject was deleted, or an earlier version of the controller stored it. Read the current state.',
  },
  'service.unavailable': { status: 503, message: '{reason}' },
  'internal.failure': {
    status: 500,
    message: 'An internal error occurred. Quote the request id when you report it.',
  },
} as const;

export const fail = createFail(FOUNDATION_ERRORS);
