import type { Socket } from 'node:net';

export interface HandshakeGateLimits {
  /** Handshakes at a time. */
  readonly handshakes: number;
  /** Connections that wait for their handshake. Further ones are closed. */
  readonly waitingHandshakes: number;
  /** A connection waits at most this long; its client has given up then. */
  readonly waitingHandshakeMs: number;
  /** A handshake that takes longer, or whose peer is silent for a third of this time, no longer counts. */
  readonly countedHandshakeMs: number;
}

interface Handshake {
  readonly socket: Socket;
  readonly since: number;
  bytesRead: number;
  /** When the peer was last heard. */
  heardAt: number;
}

const LOOK_MS = 100;

/**
 * Limits the TLS handshakes at a time. Handshakes of all agents at once would all end late, and most of them after their
 * clients have given up, so that none of the work is of use. Here they end one after the other.
 *
 * - waiting: accepted and not read yet, so it costs no more than a socket. Ends as `counted` in its turn, or closed after a
 *   limit.
 * - counted: the handshake runs. Ends with the handshake, with the connection, or when the peer is too slow. A slow handshake
 *   goes on, but another one may begin: silent peers must not keep agents out.
 */
export class HandshakeGate {
  readonly #limits: HandshakeGateLimits;
  readonly #begin: (socket: Socket) => void;
  readonly #waiting = new Map<Socket, number>();
  readonly #counted = new Map<string, Handshake>();
  readonly #timer: NodeJS.Timeout;
  #turnedAway = 0;

  /** `begin` starts the handshake of a paused connection. The caller calls `ended` after it. */
  constructor(limits: HandshakeGateLimits, begin: (socket: Socket) => void) {
    this.#limits = limits;
    this.#begin = begin;
    this.#timer = setInterval(() => this.#look(performance.now()), LOOK_MS).unref();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Connections that were closed without a handshake since the start. */
  get turnedAway(): number {
    return this.#turnedAway;
  }

  /** Takes an accepted connection that is paused. */
  admit(socket: Socket): void {
    if (this.#waiting.size >= this.#limits.waitingHandshakes) {
      this.#turnAway(socket);
      return;
    }
    this.#waiting.set(socket, performance.now());
    const key = keyOf(socket);
    socket.once('close', () => {
      this.#waiting.delete(socket);
      this.#end(key);
    });
    this.#next();
  }

  /** The handshake of this connection, or of the TLS connection over it, has ended. */
  ended(socket: Socket): void {
    this.#end(keyOf(socket));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const socket of this.#waiting.keys()) socket.destroy();
  }

  #end(key: string): void {
    if (this.#counted.delete(key)) this.#next();
  }

  #next(): void {
    while (this.#counted.size < this.#limits.handshakes) {
      const [socket] = this.#waiting.keys();
      if (!socket) return;
      this.#waiting.delete(socket);
      if (socket.destroyed) continue;
      const now = performance.now();
      this.#counted.set(keyOf(socket), { socket, since: now, bytesRead: socket.bytesRead, heardAt: now });
      this.#begin(socket);
    }
  }

  #look(now: number): void {
    const { countedHandshakeMs, waitingHandshakeMs } = this.#limits;
    for (const [key, handshake] of this.#counted) {
      const { bytesRead } = handshake.socket;
      if (bytesRead > handshake.bytesRead) handshake.heardAt = now;
      handshake.bytesRead = bytesRead;
      const isSlow = now - handshake.since > countedHandshakeMs || now - handshake.heardAt > countedHandshakeMs / 3;
      if (isSlow) this.#counted.delete(key);
    }
    for (const [socket, since] of this.#waiting) {
      // The oldest are first.
      if (now - since <= waitingHandshakeMs) break;
      this.#waiting.delete(socket);
      this.#turnAway(socket);
    }
    this.#next();
  }

  #turnAway(socket: Socket): void {
    this.#turnedAway += 1;
    socket.destroy();
  }
}

/** A TLS connection has the addresses of the connection below it. A closed connection has none. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
