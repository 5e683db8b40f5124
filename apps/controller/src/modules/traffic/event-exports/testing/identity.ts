import { createServerCertificate } from '@flotilla/testkit';

/** The key and certificate of a server or client, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export async function createIdentity(name = 'localhost'): Promise<Identity> {
  const { certificatePem: cert, privateKeyPem: key } = await createServerCertificate(name);
  return { key, cert };
}
