import { failEnrolment } from '@flotilla/contract';
import type { Logger } from '@flotilla/kit';
import { RETRY_TRAILER } from '@flotilla/proto';
import { status } from '@grpc/grpc-js';
import type { Admission } from './admission.ts';
import { type CommandCall, CommandStream } from './command-stream.ts';
import type { Opening, Openings } from './openings.ts';
import type { FleetPort } from './ports.ts';
import { toStatus } from './status.ts';

export interface CommandStreamsOptions {
  readonly admission: Admission;
  readonly fleet: FleetPort;
  readonly openings: Openings;
  readonly logger: Logger;
}

type Begun = Extract<Opening, { kind: 'begun' }>;

/** The command streams of this controller: at most one per client, the newest. */
export class CommandStreams {
  readonly #options: CommandStreamsOptions;
  readonly #streams = new Map<string, CommandStream>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;

  constructor(options: CommandStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#streams.size;
  }

  isConnected(clientId: string): boolean {
    return this.#streams.has(clientId);
  }

  noteDesired(clientId: string): void {
    this.#streams.get(clientId)?.noteDesired();
  }

  noteCommands(clientId: string): void {
    this.#streams.get(clientId)?.noteCommands();
  }

  /** Notifications may have been missed: every stream reads again. */
  noteAll(): void {
    for (const stream of this.#streams.values()) {
      stream.noteDesired();
      stream.noteCommands();
    }
  }

  /** Ends the client's stream on this controller, because another controller has a newer one. */
  displace(clientId: string): void {
    this.#streams.get(clientId)?.end({ code: status.ABORTED, details: 'displaced by a newer stream' }, 'displaced');
  }

  /** flotilla.fleet.v1.CommandService.Connect */
  readonly connect = (call: CommandCall): void => {
    // Handles errors before the stream is admitted: a peer that leaves early must not crash the process.
    call.on('error', () => undefined);
    const opening = this.#options.openings.begin();
    if (opening.kind === 'put_off') {
      putOff(call, opening.retryMs);
      return;
    }
    const serving = this.#serve(call, opening)
      .catch((error: unknown) => this.#options.logger.error({ err: error }, 'command_stream.crashed'))
      .finally(() => opening.end());
    this.#running.add(serving);
    void serving.finally(() => this.#running.delete(serving));
  };

  async close(): Promise<void> {
    this.#closed = true;
    for (const stream of this.#streams.values()) {
      stream.end({ code: status.UNAVAILABLE, details: 'the controller is stopping' }, 'controller stopped');
    }
    await Promise.all(this.#running);
  }

  async #serve(call: CommandCall, opening: Begun): Promise<void> {
    const { admission, fleet, logger } = this.#options;
    const facts = { address: call.getPeer(), metadata: call.metadata, path: call.getPath() };
    let stream: CommandStream;
    try {
      const { clientId, projectId } = await admission.admit(facts, { action: 'client.connect' });
      stream = new CommandStream(call, { clientId, projectId }, logger);
    } catch (error) {
      call.emit('error', toStatus(error));
      return;
    }
    const { clientId } = stream.client;
    if (this.#closed) {
      call.emit('error', { code: status.UNAVAILABLE, details: 'the controller is stopping' });
      return;
    }
    const older = this.#streams.get(clientId);
    this.displace(clientId);
    this.#streams.set(clientId, stream);
    // The fleet must see the end of the old stream before the new one opens.
    await older?.done;
    logger.info({ client_id: clientId, stream: stream.id, address: facts.address }, 'client.connected');
    try {
      await stream.run(fleet, () => opening.end());
    } finally {
      if (this.#streams.get(clientId) === stream) this.#streams.delete(clientId);
      logger.info({ client_id: clientId, stream: stream.id }, 'client.disconnected');
    }
  }
}

/** Ends the call with the time after which the agent should try again. */
function putOff(call: CommandCall, retryMs: number): void {
  const refusal = toStatus(failEnrolment('controller.busy', { seconds: Math.ceil(retryMs / 1000) }));
  refusal.metadata.set(RETRY_TRAILER, String(retryMs));
  call.emit('error', refusal);
}
