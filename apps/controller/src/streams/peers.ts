import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/** One TLS connection. */
export interface Peer {
  readonly address: string;
  /** What it presented; not checked yet. */
  readonly certificate: X509Certificate | undefined;
  /** Closes the connection and with it every call on it. */
  cut(): void;
}

/**
 * The connections of the gRPC port. grpc-js tells a handler of a certificate only when the TLS library approved of it, and
 * nothing when it did not; to say in the audit log why a peer was refused we look the connection up by its address.
 */
export class PeerTable {
  readonly #peers = new Map<string, Peer>();

  /**
   * Undefined: it is gone already, or a connection from this very address and port is open to another of our addresses. The two could not be told
   * apart, so the newcomer must go: else it could pass for the other.
   */
  add(socket: TLSSocket): Peer | undefined {
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    if (socket.destroyed || this.#peers.has(address)) return undefined;
    const presented = socket.getPeerCertificate();
    const certificate = presented?.raw ? new X509Certificate(presented.raw) : undefined;
    const peer = { address, certificate, cut: () => socket.destroy() };
    this.#peers.set(address, peer);
    socket.once('close', () => this.#peers.delete(address));
    return peer;
  }

  /** `address` as `call.getPeer()` gives it. */
  find(address: string): Peer | undefined {
    return this.#peers.get(address);
  }

  [Symbol.iterator](): IterableIterator<Peer> {
    return [...this.#peers.values()][Symbol.iterator]();
  }
}
