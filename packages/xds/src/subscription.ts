import type { SentBatch } from './resource-source.ts';

/**
 * One type on one stream, as both variants of the protocol have it. Two classes and no common one: they keep the same things, and
 * with them do different ones.
 *
 * - *Interest*: a wildcard, names, or both.
 * - Of each name: what the client was *told* (the version it has once it took all that is under way), what it *acked*, and what
 *   it *refused*, which is not simply sent again.
 * - *Outstanding*: responses by their nonce, until the client answers. An answer with another nonce moves nothing (xDS protocol,
 *   "ACK and NACK").
 * - *Unsure*: a response of several was refused, and the client may have taken a part. `Isolation` then has smaller groups sent,
 *   to find the culprit; what is acknowledged is sure again.
 * - *Answer due*: a client waits for the first answer to a wildcard, so it goes out even if it is empty.
 *
 * |             | delta                                 | state of the world                                 |
 * | ----------- | ------------------------------------- | -------------------------------------------------- |
 * | a request   | adds names and takes some away        | says all names that are wanted from now on         |
 * | asked again | a name is sent again                  | nothing follows                                    |
 * | a response  | what differs from what was told       | everything of the interest, once something differs |
 * | outstanding | as many as the stream allows          | one                                                |
 * | unsure      | single names                          | the answer as a whole                              |
 * | gone        | named, whatever the type              | left out, which says so of whole types alone       |
 * | refused     | left out until other content is taken | replaced by the last acknowledged content          |
 */
export interface Subscription {
  readonly typeUrl: string;
  /** The client took a response. Undefined for a nonce that is not waited for: an old one, or none. */
  acknowledge(nonce: string): SentBatch | undefined;
  /** The client refused a response, or a part of it. Undefined for a nonce that is not waited for. */
  refuse(nonce: string, reason: string): SentBatch | undefined;
}
