import { createFail } from './define.ts';

/** Errors of the record of deeds. */
export const AUDIT_ERRORS = {
  'audit.busy': { status: 503, message: 'The record is being verified already. Try again when that is done.' },
} as const;

export const failAudit = createFail(AUDIT_ERRORS);
