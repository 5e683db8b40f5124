export { HeadsFile } from './chain/heads-file.ts';
export { Sealer } from './chain/sealer.ts';
export { openHeadSigner } from './chain/signer.ts';
export { DenialBuffer, type DenialRecorder } from './denial-buffer.ts';
export { type AuditEntry, recordAudit } from './record.ts';
export { createAuditRoutes } from './routes.ts';
