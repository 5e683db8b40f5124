import { generateSecret, generateURI, verifySync } from 'otplib';

/** RFC 6238, section 5.2: a code of the step before or after is taken too, for clocks that go wrong and slow fingers. */
const TOLERANCE_S = 30;

/** 160 bits, as long as the digest that is made with it (RFC 4226, section 4), in base32. */
export function makeTotpSecret(): string {
  return generateSecret({ length: 20 });
}

/** What an authenticator reads from a QR code. Six digits, 30 s and SHA-1 go without saying: some read nothing else. */
export function describeTotp(of: { secret: string; username: string; issuer: string }): string {
  // A colon is what divides issuer and account in an authenticator.
  return generateURI({ issuer: of.issuer.replaceAll(':', ' '), label: of.username, secret: of.secret });
}

/** Which 30-second step the code is of, among the three that are good at `now`; undefined where it is of none. */
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
