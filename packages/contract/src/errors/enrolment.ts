import { createFail } from './define.ts';

/** Reasons why a host may not join or an agent may not connect. Sent as gRPC status messages and written to the audit log. */
export const ENROLMENT_ERRORS = {
  'enrolment.token_unknown': {
    status: 401,
    message: 'This enrolment token is unknown. Check that you copied all of it, or create a new one.',
  },
  'enrolment.token_used': {
    status: 401,
    message: 'This enrolment token has already been used. A token admits one host. Create a new one.',
  },
  'enrolment.token_void': {
    status: 401,
    message:
      'The creator of this enrolment token may no longer admit hosts to the project. Ask one of its administrators for a new one.',
  },
  'enrolment.token_expired': { status: 401, message: 'This enrolment token expired at {at}. Create a new one.' },
  'enrolment.token_closed': {
    status: 409,
    message: 'This enrolment token is {status}. Only an open one can get a new secret. Create a new token.',
  },
  'enrolment.csr_invalid': { status: 400, message: 'The certificate request is not valid: {reason}' },
  'enrolment.too_many': {
    status: 429,
    message: 'Too many enrolment attempts from this address. Try again in a minute.',
  },
  'certificate.missing': { status: 401, message: 'A client certificate is required. Enrol first.' },
  'certificate.foreign': {
    status: 401,
    message: 'The client certificate was not issued by this controller. Enrol with a token of this controller.',
  },
  'certificate.expired': {
    status: 401,
    message: 'The client certificate expired at {at}. Check the clock of this host, or enrol again.',
  },
  'certificate.not_yet_valid': {
    status: 401,
    message: 'The client certificate is not valid before {at}. Check the clocks of controller and host.',
  },
  'certificate.revoked': {
    status: 403,
    message: 'The client certificate is revoked, because the client was removed. Enrol again with a new token.',
  },
  'certificate.client_unknown': {
    status: 403,
    message: 'There is no client {client} in the project of this certificate. Enrol again with a new token.',
  },
  'controller.busy': {
    status: 503,
    message: 'Many agents are connecting to this controller. The agent connects again in {seconds} s by itself.',
  },
  'xds.node_refused': {
    status: 403,
    message: 'Node "{node}" is not one of the services of client {client}.',
  },
} as const;

export const failEnrolment = createFail(ENROLMENT_ERRORS);
