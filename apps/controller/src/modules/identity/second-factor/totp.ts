import { generateSecret, generateURI, verifySync } from 'otplib';

/** RFC 6238, section 5.2: accepts the code of the previous and the next step, for inaccurate clocks and slow typing. */
const TOLERANCE_S = 30;

/** 160 bits, the length of the digest (RFC 4226, section 4), in base32. */
export function makeTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/** The URI of the QR code. Omits six digits, 30 s and SHA-1, the defaults; some authenticators support nothing else. */
export function describeTotp(of: { secret: string; username: string; issuer: string }): string {
  // The colon separates issuer and account.
  return generateURI({ issuer: of.issuer.replaceAll(':', ' '), label: of.username, secret: of.secret });
}

/** Returns the matching step of the three that are valid at `now`; undefined if none matches. */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const found = verifySync({
    secret,
    token: code,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: TOLERANCE_S,
  });
  return found.valid && 'timeStep' in found ? found.timeStep : undefined;
}
