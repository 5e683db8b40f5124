export { DenialBuffer } from './denial-buffer.ts';
export type { AuditEntry, AuditSubject, DenialRecorder } from './entry.ts';
export { recordAll, recordAudit } from './record-store.ts';
