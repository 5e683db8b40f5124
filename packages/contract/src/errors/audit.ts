import { createFail } from './define.ts';

export const AUDIT_ERRORS = {
  'audit.busy': { status: 503, message: 'The audit log is already being verified. Try again when that has finished.' },
  'audit.exports_busy': {
    status: 503,
    message: 'Too many exports of the audit log are running. Try again when one of them has finished.',
  },
  'audit.hold_released': { status: 409, message: 'This hold has already been released.' },
} as const;

export const failAudit = createFail(AUDIT_ERRORS);
