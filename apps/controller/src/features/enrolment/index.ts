export { type Authority, openAuthority } from './authority.ts';
export {
  type CertificateClaim,
  RENEWAL_GRACE_MS,
  readCertificate,
} from './model.ts';
export { RevocationList } from './revocations.ts';
export { createEnrolmentRoutes } from './routes.ts';
export { ServerCertificate, type ServerIdentity } from './server-certificate.ts';
export {
  type CallOrigin,
  type ClientRegistry,
  EnrolmentService,
  revokeClient,
} from './service.ts';
export { hasVouchedSecret } from './vouching-store.ts';
