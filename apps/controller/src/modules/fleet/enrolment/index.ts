export { type Authority, openAuthority } from './authority.ts';
export { measureAuthority } from './authority-metrics.ts';
export { RENEWAL_GRACE_MS } from './model.ts';
export { RevocationList } from './revocations.ts';
export { createEnrolmentRoutes } from './routes.ts';
export { ServerCertificate } from './server-certificate.ts';
export { EnrolmentService, revokeClient } from './service.ts';
