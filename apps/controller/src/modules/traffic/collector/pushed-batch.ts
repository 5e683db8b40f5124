import type { fleet } from '@flotilla/proto';

/** A batch as an agent sends it; `entries` is what the agent says. */
export type PushedBatch = Pick<fleet.LogBatch, 'serviceId' | 'epoch' | 'sequence' | 'payload' | 'entries'>;
