import type { ConnectionSettings } from '@flotilla/db';
import type { ControllerConfig } from '../config.ts';
import type { RelayedAnswer, RelayedRequest } from '../http/relay.ts';

/**
 * The setup that the owner sends to the process. It contains the keys of the installation, so it only travels through
 * their pipe.
 */
export interface WorkerSetup {
  readonly config: ControllerConfig;
  readonly connection: ConnectionSettings;
  readonly role: string | undefined;
  readonly logLevel: string;
}

export interface RequestWorker {
  answer(request: RelayedRequest): Promise<RelayedAnswer>;
}
