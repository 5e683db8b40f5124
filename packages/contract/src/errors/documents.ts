import { createFail } from './define.ts';

/** Errors of configuration documents, policies and proxy versions. */
export const DOCUMENT_ERRORS = {
  'document.invalid': { status: 400, message: '{collection} {name} is not valid for Envoy {version}: {reason}' },
  'document.name_mismatch': {
    status: 400,
    message:
      'The resource calls itself {inner} but the document is named {name}. Make them equal or leave the inner name out.',
  },
  'document.restricted': {
    status: 403,
    message:
      'Only owners may access things outside the service: {path} {reason}. Refer to files of the service as files/<name>.',
  },
  'document.identity': { status: 400, message: '{field} cannot be changed, because it identifies the document.' },
  'document.batch_refused': {
    status: 400,
    message: 'Nothing was changed: {count} of the documents were refused; see details.',
  },
  'document.batch_forbidden': {
    status: 403,
    message: 'Nothing was changed: you may not write {count} of the documents; see details.',
  },
  'reference.missing': {
    status: 409,
    message:
      '{path} refers to {target}, which does not exist in this project for this version. Create it first, or write both in one apply.',
  },
  'reference.invalid': { status: 400, message: '{path}: {reason}' },
  'reference.cycle': { status: 400, message: 'The references form a circle: {cycle}.' },
  'version.unknown': { status: 400, message: 'Envoy {version} is not known. Known versions: {known}.' },
  'version.unprepared': {
    status: 409,
    message:
      'Envoy {version} is in the release archive, but its documents cannot be checked yet. Prepare the version first: on the page of versions, or with flotilla versions prepare {version}.',
  },
  'version.preparing': {
    status: 409,
    message: 'Envoy {version} is being prepared by job {number}. Repeat the request when the job is done.',
  },
  'version.preparation_failed': {
    status: 409,
    message: 'Envoy {version} could not be prepared a moment ago: {reason}',
  },
  'version.not_in_archive': { status: 404, message: 'Envoy {version} cannot be prepared: {reason}.' },
  'message.unknown': { status: 404, message: '{reason}. Choose a message that this version has.' },
  'archive.unavailable': { status: 503, message: 'The release archive cannot be read: {reason}' },
  'policy.invalid': { status: 400, message: 'The policy is not valid: {reason}' },
  'policy.clash': {
    status: 409,
    message: 'With this change, service {service} could not run its policies together: {reason}',
  },
  'policy.body_cap': {
    status: 409,
    message: 'Service {service} could not keep this policy: {reason}.',
  },
  'policy.busy': {
    status: 503,
    message: 'Too many large policies are being analysed. Try again in a moment.',
  },
  'policy.too_slow': {
    status: 422,
    message:
      'The analysis of the policy took longer than {seconds} seconds and was stopped. Split it into several policies.',
  },
  'policy.too_large': {
    status: 422,
    message: 'The analysis of the policy exceeded its memory limit and was stopped. Split it into several policies.',
  },
} as const;

export const failDocument = createFail(DOCUMENT_ERRORS);
