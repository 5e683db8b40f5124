export { type AuditEntry, recordAudit } from './record.ts';
export { createAuditRoutes } from './routes.ts';
