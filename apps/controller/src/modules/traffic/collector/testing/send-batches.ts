import { create } from '@bufbuild/protobuf';
import { compressBatch, encodeBatch } from '@flotilla/access-log';
import { createEntry } from '@flotilla/collector/testing';
import { fleet } from '@flotilla/proto';
import type { LogsPort } from '../../../../platform/streams/index.ts';
import type { World } from './world.ts';

export const EVENTS_PER_BATCH = 20;
const OPEN_MAX = 4;
const RETRY_MAX_MS = 200;

export interface Batches extends World {
  readonly first: number;
  readonly last: number;
}

/** Sends numbered batches, a few at a time, as an agent would, and calls `onStored` with the number of each one that was acknowledged. */
export async function sendBatches(
  logs: LogsPort,
  batches: Batches,
  onStored: (sequence: number) => void,
): Promise<void> {
  const open = new Set<Promise<void>>();
  for (let sequence = batches.first; sequence <= batches.last; sequence += 1) {
    const sent = send(logs, batches, sequence)
      .then(() => onStored(sequence))
      .finally(() => open.delete(sent));
    open.add(sent);
    if (open.size >= OPEN_MAX) await Promise.race(open);
  }
  await Promise.all(open);
}

async function send(logs: LogsPort, { client, project, service }: World, sequence: number): Promise<void> {
  const now = Date.now();
  const entries = Array.from({ length: EVENTS_PER_BATCH }, (_, index) =>
    createEntry({ timeMs: now - index, path: `/api/orders/${index}` }),
  );
  const payload = await compressBatch(encodeBatch({ listener: 'public', entries }));
  for (;;) {
    const batch = create(fleet.LogBatchSchema, {
      serviceId: service,
      epoch: 'epoch-1',
      sequence: BigInt(sequence),
      entries: EVENTS_PER_BATCH,
      payload: Uint8Array.from(payload),
    });
    const answer = await logs.push({ clientId: client, projectId: project }, batch);
    if ('stored' in answer) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(answer.retryMs, RETRY_MAX_MS)));
  }
}
