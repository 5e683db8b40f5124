import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { type PresentedCertificate, readCertificate } from './client-certificate.ts';

export interface Peer {
  readonly address: string;
  readonly certificate: PresentedCertificate;
  /** Closes the connection and every call on it. */
  cut(): void;
}

/**
 * The connections of the gRPC port. grpc-js passes a certificate to a handler only if the TLS library approved it; to
 * record why a peer was refused, the certificate is found by the connection's address.
 */
export class PeerTable {
  readonly #authority: X509Certificate;
  readonly #peers = new Map<string, Peer>();

  constructor(authority: X509Certificate) {
    this.#authority = authority;
  }

  /**
   * undefined: the connection is already closed, or a connection from the same address and port is open to another of
   * our addresses. The two are indistinguishable, so the new one must be refused; otherwise it could impersonate the
   * other.
   */
  add(socket: TLSSocket): Peer | undefined {
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    if (socket.destroyed || this.#peers.has(address)) return undefined;
    const certificate = readCertificate(socket.getPeerX509Certificate(), this.#authority);
    const peer = { address, certificate, cut: () => socket.destroy() };
    this.#peers.set(address, peer);
    socket.once('close', () => this.#peers.delete(address));
    return peer;
  }

  /** `address` as returned by `call.getPeer()`. */
  find(address: string): Peer | undefined {
    return this.#peers.get(address);
  }

  [Symbol.iterator](): IterableIterator<Peer> {
    return [...this.#peers.values()][Symbol.iterator]();
  }
}
