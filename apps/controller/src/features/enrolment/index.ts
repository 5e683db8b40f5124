export { type Authority, openAuthority } from './authority.ts';
export {
  type CertificateClaim,
  type CertificateFinding,
  deriveFingerprint,
  readCertificate,
} from './model.ts';
export { RevocationList } from './revocations.ts';
export { createEnrolmentRoutes } from './routes.ts';
export { ServerCertificate, type ServerIdentity } from './server-certificate.ts';
export {
  type CallOrigin,
  type ClientRegistry,
  type EnrolmentOptions,
  EnrolmentService,
  revokeClient,
} from './service.ts';
