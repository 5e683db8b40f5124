import { createHash, X509Certificate } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import { err, ok, type Result } from '@flotilla/kit';
import { CONTROLLER_TLS_NAME } from '@flotilla/proto';

export interface PinProblem {
  /** `unreachable`: nothing answers at the address yet. A person must resolve `wrong_authority` and `clock`. */
  readonly kind: 'unreachable' | 'wrong_authority' | 'clock';
  readonly message: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Reads the certificate chain of the controller without sending a request. Returns the authority (PEM) if it has the fingerprint
 * in the token. The caller then opens a connection that trusts only this authority.
 */
export async function pinAuthority(
  address: { host: string; port: number },
  fingerprint: string,
  nowMs: number,
): Promise<Result<string, PinProblem>> {
  const where = `${address.host}:${address.port}`;
  const chain = await readChain(address).catch((error: unknown) =>
    error instanceof Error ? error : new Error('failed'),
  );
  if (chain instanceof Error) {
    return err({ kind: 'unreachable', message: `the controller at ${where} cannot be reached: ${chain.message}` });
  }
  const authority = chain.find((one) => digest(one) === fingerprint);
  const leaf = chain[0];
  if (!authority || !leaf?.verify(authority.publicKey)) {
    const seen = chain.map(digest).at(-1) ?? 'none';
    const message = `the controller at ${where} is not the one that created this token (its authority is ${seen}, the token names ${fingerprint}). Check the address. If it is correct, someone may be intercepting the connection.`;
    return err({ kind: 'wrong_authority', message });
  }
  const now = new Date(nowMs);
  const bad = [leaf, authority].find((one) => one.validFromDate > now || one.validToDate < now);
  if (bad) {
    const message = `the controller's certificate is not valid at the time of this host (${now.toISOString()}): it is valid from ${bad.validFromDate.toISOString()} to ${bad.validToDate.toISOString()}. Set the clock of this host.`;
    return err({ kind: 'clock', message });
  }
  return ok(authority.toString());
}

function digest(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('base64url');
}

async function readChain({ host, port }: { host: string; port: number }): Promise<X509Certificate[]> {
  const { promise, resolve, reject } = Promise.withResolvers<X509Certificate[]>();
  const socket: TLSSocket = connect({
    host,
    port,
    servername: CONTROLLER_TLS_NAME,
    ALPNProtocols: ['h2'],
    // The fingerprint is checked instead of the system's authorities.
    rejectUnauthorized: false,
  });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('the connection was closed')));
  socket.once('secureConnect', () => {
    const chain: X509Certificate[] = [];
    for (let one = socket.getPeerX509Certificate(); one && chain.length < 8; one = one.issuerCertificate) {
      chain.push(new X509Certificate(one.raw));
    }
    resolve(chain);
  });
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
