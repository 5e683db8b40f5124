import { AUDIT_ERRORS } from './audit.ts';
import { BACKUP_ERRORS } from './backup.ts';
import { CLEAN_UP_ERRORS } from './clean-up.ts';
import { CONTROLLER_ERRORS } from './controllers.ts';
import type { ErrorTable } from './define.ts';
import { DOCUMENT_ERRORS } from './documents.ts';
import { ENROLMENT_ERRORS } from './enrolment.ts';
import { EVENT_ERRORS } from './events.ts';
import { FLEET_ERRORS } from './fleet.ts';
import { FOUNDATION_ERRORS } from './foundation.ts';
import { IDENTITY_ERRORS } from './identity.ts';
import { JOB_ERRORS } from './jobs.ts';
import { KEY_ERRORS } from './keys.ts';
import { SETTING_ERRORS } from './settings.ts';
import { SIGN_IN_ERRORS } from './sign-in.ts';
import { TRIAL_ERRORS } from './trials.ts';

export { AUDIT_ERRORS, failAudit } from './audit.ts';
export { BACKUP_ERRORS, failBackup } from './backup.ts';
export { CLEAN_UP_ERRORS, failCleanUp } from './clean-up.ts';
export { CONTROLLER_ERRORS, failController } from './controllers.ts';
export { createFail, type ErrorEntry, type ErrorTable, type FailOptions } from './define.ts';
export { DOCUMENT_ERRORS, failDocument } from './documents.ts';
export { ENROLMENT_ERRORS, failEnrolment } from './enrolment.ts';
export { EVENT_ERRORS, failEvents } from './events.ts';
export { FLEET_ERRORS, failFleet } from './fleet.ts';
export { FOUNDATION_ERRORS, fail } from './foundation.ts';
export { failIdentity, IDENTITY_ERRORS } from './identity.ts';
export { failJob, JOB_ERRORS } from './jobs.ts';
export { failKeys, KEY_ERRORS } from './keys.ts';
export { failSetting, SETTING_ERRORS } from './settings.ts';
export { failSignIn, SIGN_IN_ERRORS } from './sign-in.ts';
export { failTrial, TRIAL_ERRORS } from './trials.ts';

/** All error codes of the API, documented in docs/errors.md. */
export const ERRORS: ErrorTable = {
  ...FOUNDATION_ERRORS,
  ...DOCUMENT_ERRORS,
  ...IDENTITY_ERRORS,
  ...SIGN_IN_ERRORS,
  ...ENROLMENT_ERRORS,
  ...FLEET_ERRORS,
  ...EVENT_ERRORS,
  ...SETTING_ERRORS,
  ...TRIAL_ERRORS,
  ...JOB_ERRORS,
  ...KEY_ERRORS,
  ...AUDIT_ERRORS,
  ...CONTROLLER_ERRORS,
  ...BACKUP_ERRORS,
  ...CLEAN_UP_ERRORS,
};
