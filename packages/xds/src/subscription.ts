import type { SentBatch } from './resource-source.ts';

/**
 * One type on one stream, for both variants of the protocol. The two implementations share no base class: they keep the
 * same state but act differently.
 *
 * - *Interest*: a wildcard, names, or both.
 * - Per name: what was *sent* (the version that the client has once it applied everything in flight), what it
 *   *acked*, and what it *refused*, which is not simply sent again.
 * - *Outstanding*: responses by nonce, until the client answers. An answer with another nonce has no effect (xDS
 *   protocol, "ACK and NACK").
 * - *Unsure*: a response with several resources was refused, and the client may have applied part of it. `Isolation`
 *   then sends smaller groups to find the culprit; an acknowledgement ends the state.
 * - *Answer due*: a client waits for the first answer to a wildcard, so it is sent even if it is empty.
 *
 * | | delta | state of the world |
 * | --- | --- | --- |
 * | request | adds and removes names | lists all wanted names |
 * | repeated request | the name is sent again | no effect |
 * | response | what differs from what was sent | all requested resources, once something differs |
 * | outstanding | as many as the stream allows | one |
 * | unsure | single names | the response as a whole |
 * | removed | named, for every type | left out, which counts for whole types only |
 * | refused | left out until the content changes | replaced by the last acknowledged content |
 */
export interface Subscription {
  readonly typeUrl: string;
  /** The client accepted a response. Undefined for an outdated or unknown nonce. */
  acknowledge(nonce: string): SentBatch | undefined;
  /** The client refused a response, or part of it. Undefined for an outdated or unknown nonce. */
  refuse(nonce: string, reason: string): SentBatch | undefined;
}
