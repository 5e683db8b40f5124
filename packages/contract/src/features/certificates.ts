/** The state of something with certificates follows from the one that ends first. */
export const CERTIFICATE_STATES = ['ended', 'ends_soon', 'valid'] as const;
export type CertificateState = (typeof CERTIFICATE_STATES)[number];

export const CERTIFICATE_SOON_MS = 30 * 86_400_000;

export function judgeCertificateEnd(endsAt: Date, now: Date): CertificateState {
  const leftMs = endsAt.getTime() - now.getTime();
  if (leftMs <= 0) return 'ended';
  return leftMs < CERTIFICATE_SOON_MS ? 'ends_soon' : 'valid';
}
