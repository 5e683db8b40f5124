import { createFail } from './define.ts';

/** Why a host may not join or an agent may not connect. They travel as gRPC status messages and into the audit log. */
export const ENROLMENT_ERRORS = {
  'enrolment.token_unknown': {
    status: 401,
    message: 'This enrolment token is not known here. Make a new one and check that it was copied whole.',
  },
  'enrolment.token_used': {
    status: 401,
    message: 'This enrolment token has been used already. A token admits one host: make a new one.',
  },
  'enrolment.token_void': {
    status: 401,
    message:
      'Whoever made this enrolment token may let no hosts into the project any more. Have one of its administrators make a new one.',
  },
  'enrolment.token_expired': { status: 401, message: 'This enrolment token expired at {at}. Make a new one.' },
  'enrolment.token_closed': {
    status: 409,
    message: 'This enrolment token is {status}: only one that is open gets a new secret. Make a new token.',
  },
  'enrolment.csr_invalid': { status: 400, message: 'The certificate request is not valid: {reason}' },
  'enrolment.too_many': { status: 429, message: 'Too many tries to enrol from this address; try again in a minute.' },
  'certificate.missing': { status: 401, message: 'This needs a client certificate. Enrol first.' },
  'certificate.foreign': {
    status: 401,
    message: 'The client certificate was not issued by this controller. Enrol here with a token of this controller.',
  },
  'certificate.expired': {
    status: 401,
    message: 'The client certificate expired at {at}. Check the clock of this host; else enrol again.',
  },
  'certificate.not_yet_valid': {
    status: 401,
    message: 'The client certificate is valid only from {at} on. The clocks of controller and host differ.',
  },
  'certificate.revoked': {
    status: 403,
    message: 'The client certificate has been revoked. The client was removed: enrol again with a new token.',
  },
  'certificate.client_unknown': {
    status: 403,
    message: 'There is no client {client} in the project of this certificate. Enrol again with a new token.',
  },
  'xds.node_refused': {
    status: 403,
    message: 'Node "{node}" is not one of the services of client {client}.',
  },
} as const;

export const failEnrolment = createFail(ENROLMENT_ERRORS);
