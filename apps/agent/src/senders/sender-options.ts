import type { Clock, Logger } from '@flotilla/kit';
import type { ServiceHost } from '../host/index.ts';
import type { Outbox } from '../link/outbox.ts';

export interface SenderOptions {
  readonly host: ServiceHost;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly logger: Logger;
}
