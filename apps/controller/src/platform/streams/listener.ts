import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { type Clock, type Closable, type Logger, withDeadline } from '@flotilla/kit';
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { judgeCertificate, serialOf } from './client-certificate.ts';
import type { AuthorityCertificate, RevocationPort, ServerIdentity } from './enrolment-port.ts';
import { HandshakeGate } from './handshake-gate.ts';
import type { Peer, PeerTable } from './peers.ts';

export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

export interface GrpcListenerOptions {
  readonly authority: AuthorityCertificate;
  readonly revocations: RevocationPort;
  readonly peers: PeerTable;
  readonly services: readonly GrpcService[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits of the port; tests lower them. */
  readonly limits?: Partial<typeof LIMITS>;
}

export const LIMITS = {
  connections: 20_000,
  handshakeMs: 10_000,
  handshakes: 256,
  waitingHandshakes: 5_000,
  waitingHandshakeMs: 10_000,
  countedHandshakeMs: 2_000,
  /** Lifetime of a connection without a valid certificate: enough to enrol or to be refused. */
  strangerMs: 15_000,
  /** Streams per connection: one per node of a host, the command stream and a few calls. */
  streams: 1000,
  /** Size of one message. */
  receiveBytes: 8 * 1024 * 1024,
  /** Bytes from a connection without a valid certificate: an enrolment needs a few kilobytes. */
  strangerBytes: 256 * 1024,
};

/** Connections that the kernel holds until they are accepted; it may allow fewer. */
const BACKLOG = 4096;
const KEEPALIVE_MS = 20_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
const IDLE_MS = 5 * 60_000;
const CLOSE_MS = 3000;
const GENTLE_MS = 1000;
const STRANGER_LOOK_MS = 50;
/** Node's timers are limited to 2^31 ms. */
const TIMER_MAX_MS = 2_000_000_000;

/**
 * The only gRPC port. TLS asks for a client certificate and accepts every connection; `Admission` decides per call.
 * node:tls does the handshake and passes the decrypted connection to grpc-js, whose own TLS would either refuse without
 * a reason or not ask at all.
 */
export class GrpcListener implements Closable {
  readonly #options: GrpcListenerOptions;
  readonly #limits: typeof LIMITS;
  readonly #grpc: Server;
  /** Accepts the connections, in front of the gate. */
  readonly #tcp: TcpServer;
  readonly #gate: HandshakeGate;
  /** Does the handshakes of the connections that it is given. Does not listen. */
  readonly #tls: TlsServer;
  readonly #unwatch: () => void;
  /** All connections, including those still in their handshake, which are not peers yet. */
  readonly #sockets = new Set<Socket>();
  #isClosing = false;

  constructor(options: GrpcListenerOptions, identity: ServerIdentity) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#grpc = new Server({
      'grpc.max_concurrent_streams': this.#limits.streams,
      'grpc.max_receive_message_length': this.#limits.receiveBytes,
      'grpc.max_send_message_length': -1,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      'grpc.max_connection_idle_ms': IDLE_MS,
      'grpc.enable_channelz': 0,
    });
    for (const { definition, handlers } of options.services) this.#grpc.addService(definition, handlers);
    const injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
    this.#tls = createServer(
      {
        ...this.#toContext(identity),
        ALPNProtocols: ['h2'],
        minVersion: 'TLSv1.3',
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: this.#limits.handshakeMs,
      },
      (socket) => {
        this.#gate.ended(socket);
        if (this.#watch(socket)) injector.injectConnection(socket);
        else socket.destroy();
      },
    );
    this.#gate = new HandshakeGate(this.#limits, (socket) => this.#tls.emit('connection', socket));
    this.#tcp = createTcpServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.#accept(socket));
    this.#tcp.maxConnections = this.#limits.connections;
    this.#tls.on('tlsClientError', (error, socket) => {
      options.logger.debug({ err: error, address: socket.remoteAddress }, 'grpc.handshake_failed');
      socket.destroy();
    });
    this.#unwatch = options.revocations.onChange(() => this.#cutRevoked());
  }

  /** Resolves to the port; rejects if the address is in use. */
  listen(address: { host: string; port: number }): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#tcp.once('error', reject);
    this.#tcp.listen({ port: address.port, host: address.host, backlog: BACKLOG }, () => {
      this.#tcp.off('error', reject);
      this.#tcp.on('error', (error) => this.#options.logger.error({ err: error }, 'grpc.listener_failed'));
      resolve(this.port ?? address.port);
    });
    return promise;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Connections that wait for their handshake. */
  get waiting(): number {
    return this.#gate.waiting;
  }

  /** Connections that were closed without a handshake, because too many waited. */
  get turnedAway(): number {
    return this.#gate.turnedAway;
  }

  get port(): number | undefined {
    const address = this.#tcp.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /** New connections use this certificate from now on. */
  install(identity: ServerIdentity): void {
    this.#tls.setSecureContext(this.#toContext(identity));
  }

  /** The streams have already ended; only waits, with a limit, until their last messages are sent. */
  async close(): Promise<void> {
    this.#unwatch();
    this.#isClosing = true;
    const stopped = this.#tcp.listening ? new Promise<void>((resolve) => this.#tcp.close(() => resolve())) : undefined;
    this.#gate.close();
    await this.#shutDownGently();
    for (const peer of this.#options.peers) peer.cut();
    for (const socket of this.#sockets) socket.destroy();
    if (stopped) await withDeadline(stopped, CLOSE_MS, 'the gRPC port did not close');
  }

  /** Sends GOAWAY and then ends: a client needs seconds to notice a connection that breaks while in use. */
  async #shutDownGently(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GENTLE_MS);
    this.#grpc.tryShutdown(() => resolve());
    await promise;
    clearTimeout(timer);
    this.#grpc.forceShutdown();
  }

  #toContext({ keyPem, chainPem }: ServerIdentity) {
    return { key: keyPem, cert: chainPem, ca: this.#options.authority.certificatePem };
  }

  #accept(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    // A reset is no failure of ours, and the TLS connection does not exist yet.
    socket.on('error', () => socket.destroy());
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#gate.admit(socket);
  }

  /** False: the connection must not be served. */
  #watch(socket: TLSSocket): boolean {
    const { peers, clock } = this.#options;
    // The HTTP/2 session does not report a reset before its first call.
    socket.on('error', () => socket.destroy());
    const peer = peers.add(socket);
    if (!peer) return false;
    const finding = judgeCertificate(peer.certificate, new Date(clock.now()));
    if (finding.kind !== 'valid') {
      this.#boundStranger(socket, peer);
      return true;
    }
    const lifeMs = finding.claim.expiresAt.getTime() - clock.now();
    const timer = setTimeout(() => peer.cut(), Math.min(lifeMs, TIMER_MAX_MS));
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
    return true;
  }

  #boundStranger(socket: TLSSocket, peer: Peer): void {
    const { strangerMs, strangerBytes } = this.#limits;
    const since = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - since > strangerMs || socket.bytesRead > strangerBytes) peer.cut();
    }, STRANGER_LOOK_MS);
    timer.unref();
    socket.once('close', () => clearInterval(timer));
  }

  #cutRevoked(): void {
    const { peers, revocations, logger } = this.#options;
    const isRevoked = ({ certificate }: Peer) => revocations.has(serialOf(certificate) ?? '');
    for (const peer of peers) {
      if (!isRevoked(peer)) continue;
      logger.info({ address: peer.address }, 'client.cut');
      peer.cut();
    }
  }
}
