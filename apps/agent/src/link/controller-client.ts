import { toErrorMessage } from '@flotilla/kit';
import { CONTROLLER_TLS_NAME, ERROR_CODE_TRAILER, fleet, RETRY_TRAILER, toGrpcDefinition } from '@flotilla/proto';
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';

export interface ControllerAddress {
  readonly host: string;
  readonly port: number;
}

/** Credentials of a connection. Without key and certificate it can only enrol. */
export interface Credentials {
  readonly caPem: string;
  readonly keyPem?: string;
  readonly certificatePem?: string;
}

export type CommandCall = ClientDuplexStream<fleet.AgentMessage, fleet.ControllerMessage>;
export type LogCall = ClientDuplexStream<fleet.LogBatch, fleet.LogBatchStored>;

const ENROLMENT = toGrpcDefinition(fleet.EnrolmentService);
const COMMANDS = toGrpcDefinition(fleet.CommandService);
const LOGS = toGrpcDefinition(fleet.LogService);
const CALL_TIMEOUT_MS = 20_000;
/**
 * The interval is short because the keepalive also ends a stall. When the other end breaks a TLS connection while data flows
 * both ways, Node 24's http2 client can wait forever for a write that has failed (EPIPE). It then neither reads nor reports
 * the end.
 */
const KEEPALIVE_MS = 4_000;
const KEEPALIVE_TIMEOUT_MS = 3_000;
const RETRY_MAX_MS = 60_000;
/** A desired state contains the bundles of all services of a host. */
const RECEIVE_MAX_BYTES = 256 * 1024 * 1024;

/** Opens an HTTP/2 connection to the controller. Calls, the command stream, the ADS streams of all nodes and the access logs share it. */
export function openClient({ host, port }: ControllerAddress, { caPem, keyPem, certificatePem }: Credentials): Client {
  const pair = keyPem && certificatePem ? ([Buffer.from(keyPem), Buffer.from(certificatePem)] as const) : undefined;
  const target = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Client(target, credentials.createSsl(Buffer.from(caPem), ...(pair ?? [])), {
    'grpc.ssl_target_name_override': CONTROLLER_TLS_NAME,
    'grpc.default_authority': CONTROLLER_TLS_NAME,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.max_receive_message_length': RECEIVE_MAX_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 5000,
    // Clients with different certificates must not share a connection.
    'grpc.use_local_subchannel_pool': 1,
    // The connection must be end to end, so the proxies of the environment are not used.
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
  });
}

export function callEnrol(client: Client, request: fleet.EnrolRequest): Promise<fleet.EnrolResponse> {
  return callUnary(client, ENROLMENT.enrol, request);
}

export function callRenew(client: Client, request: fleet.RenewRequest): Promise<fleet.RenewResponse> {
  return callUnary(client, ENROLMENT.renew, request);
}

export function openCommandCall(client: Client): CommandCall {
  const { path, requestSerialize, responseDeserialize } = COMMANDS.connect;
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
}

export function openLogCall(client: Client): LogCall {
  const { path, requestSerialize, responseDeserialize } = LOGS.push;
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
}

/** Returns the stable error code of a refused call, or undefined when the failure did not come from the controller. */
export function readErrorCode(error: unknown): string | undefined {
  return readTrailer(error, ERROR_CODE_TRAILER);
}

/** The time after which the controller wants to be called again, if it said so; at most a minute. */
export function readRetryMs(error: unknown): number | undefined {
  const ms = Number(readTrailer(error, RETRY_TRAILER) ?? Number.NaN);
  return ms >= 0 ? Math.min(ms, RETRY_MAX_MS) : undefined;
}

function readTrailer(error: unknown, name: string): string | undefined {
  const metadata: unknown = error instanceof Error || isStatus(error) ? Reflect.get(error, 'metadata') : undefined;
  const value = metadata instanceof Metadata ? metadata.get(name)[0] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the text to show for a failed call. */
export function describeFailure(error: unknown): string {
  const details: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'details') : undefined;
  if (typeof details === 'string' && details !== '') return details;
  return toErrorMessage(error);
}

function isStatus(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'metadata' in value;
}

function callUnary<Request, Response>(
  client: Client,
  method: {
    readonly path: string;
    readonly requestSerialize: (message: Request) => Buffer;
    readonly responseDeserialize: (bytes: Buffer) => Response;
  },
  request: Request,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  client.makeUnaryRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    new Metadata(),
    { deadline: Date.now() + CALL_TIMEOUT_MS },
    (error: ServiceError | null, response?: Response) => {
      if (error || response === undefined) reject(error ?? new Error('the controller did not answer'));
      else resolve(response);
    },
  );
  return promise;
}
