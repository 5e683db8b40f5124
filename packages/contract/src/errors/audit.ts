import { createFail } from './define.ts';

/** Errors of the record of deeds. */
export const AUDIT_ERRORS = {
  'audit.busy': { status: 503, message: 'The record is being verified already. Try again when that is done.' },
  'audit.exports_busy': {
    status: 503,
    message: 'As many exports of the record as may be are under way already. Try again when one is done.',
  },
  'audit.hold_released': { status: 409, message: 'This hold was released already.' },
} as const;

export const failAudit = createFail(AUDIT_ERRORS);
