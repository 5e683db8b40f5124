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
      'Only owners may use what reaches beyond the service: {path} {reason}. Files of the service itself are named files/<name>.',
  },
  'document.identity': { status: 400, message: '{field} cannot be changed: it is part of what the document is.' },
  'document.batch_refused': {
    status: 400,
    message: 'Nothing was changed: {count} of the documents were refused; see details.',
  },
  'document.batch_forbidden': {
    status: 403,
    message: 'Nothing was changed: {count} of the documents are not for you to write; see details.',
  },
  'reference.missing': {
    status: 409,
    message:
      '{path} refers to {target}, which does not exist in this project for this version. Create it first, or both in one apply.',
  },
  'reference.invalid': { status: 400, message: '{path}: {reason}' },
  'reference.cycle': { status: 400, message: 'The references form a circle: {cycle}.' },
  'version.unknown': { status: 400, message: 'Envoy {version} is not known here. Known versions: {known}.' },
  'message.unknown': { status: 404, message: '{reason}. Ask for a message that this version has.' },
  'archive.unavailable': { status: 503, message: 'The release archive cannot be read: {reason}' },
  'policy.invalid': { status: 400, message: 'The policy is not valid: {reason}' },
  'policy.clash': {
    status: 409,
    message: 'With this change service {service} could not run its policies together: {reason}',
  },
  'policy.body_cap': {
    status: 409,
    message: 'Service {service} could not keep this policy: {reason}.',
  },
  'policy.busy': {
    status: 503,
    message: 'As many large policies as fit are being read already. Try again in a moment.',
  },
  'policy.too_slow': {
    status: 422,
    message: 'Reading the policy took longer than {seconds} seconds and was given up. Divide it into several policies.',
  },
  'policy.too_large': {
    status: 422,
    message:
      'Reading the policy needed more memory than it may have and was given up. Divide it into several policies.',
  },
} as const;

export const failDocument = createFail(DOCUMENT_ERRORS);
