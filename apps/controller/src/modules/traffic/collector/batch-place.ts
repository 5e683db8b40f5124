import type { ClientIdentity } from '../../../platform/streams/index.ts';
import type { BatchPlace } from './messages.ts';
import type { PushedBatch } from './pushed-batch.ts';
import { senderOf } from './sender-order.ts';

const EPOCH = /^[\x21-\x7e]{1,64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Undefined for what no agent sends. */
export function readPlace(
  { clientId, projectId }: ClientIdentity,
  { serviceId, epoch, sequence }: PushedBatch,
): BatchPlace | undefined {
  const number = Number(sequence);
  if (!UUID.test(serviceId) || !EPOCH.test(epoch) || !Number.isSafeInteger(number) || number < 0) return undefined;
  return { project: projectId, client: clientId, service: serviceId, epoch, sequence: number };
}

/** Names a batch among those of all senders. */
export function toKey(place: BatchPlace): string {
  return JSON.stringify([senderOf(place), place.epoch, place.sequence]);
}
