import type { MessagePort } from 'node:worker_threads';
import type { ApiDiscoverySettings } from '@flotilla/contract';
import type { BatchSpan } from '@flotilla/event-store';
import type { KnownTemplate, OperationDelta, ServedRoutes } from '@flotilla/inventory';
import type { EventStoreChoice } from '../../../platform/event-store-choice.ts';
import type { Resets } from '../resets/index.ts';

export interface ThreadData {
  readonly store: EventStoreChoice;
  /** The thread serves its event store at this port. */
  readonly port: MessagePort;
}

/** A batch and the place it has in the stream of its sender. */
export interface BatchPlace {
  readonly project: string;
  readonly client: string;
  readonly service: string;
  readonly epoch: string;
  readonly sequence: number;
}

/** All that the thread needs to know about a project. Data sets were sent before, under these ids. */
export interface ProjectMessage {
  readonly kind: 'project';
  readonly project: string;
  readonly settings: ApiDiscoverySettings;
  readonly key: Uint8Array;
  /** The routes of the proxies. */
  readonly routes: ServedRoutes;
  /** Templates of API documents. */
  readonly templates: readonly KnownTemplate[];
  readonly threats: readonly string[];
  readonly city: string | undefined;
  readonly asn: string | undefined;
  /** The paths that were learned before the last start; only with the first message about the project. */
  readonly learner: Uint8Array | undefined;
  /** The learned paths of other collectors. */
  readonly others: readonly Uint8Array[];
  /** The states of the detectors before the last start; only with the first message about the project. */
  readonly detectors: Uint8Array | undefined;
  /** Operations that were reset since the last message, or since `detectors` was stored. */
  readonly resets: Resets;
}

export interface RetentionChoice {
  readonly eventDays: number;
  readonly maxDiskPercent: number;
}

export type ToThread =
  | { readonly kind: 'batch'; readonly id: number; readonly place: BatchPlace; readonly payload: Uint8Array }
  | ProjectMessage
  | { readonly kind: 'forget'; readonly project: string }
  /** Networks, one a line; or the bytes of a GeoIP database. Parts of one data set follow each other. */
  | { readonly kind: 'networks'; readonly id: string; readonly part: string; readonly isLast: boolean }
  | { readonly kind: 'geo'; readonly id: string; readonly part: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'drop-data'; readonly id: string }
  | { readonly kind: 'learners' }
  | { readonly kind: 'maintain'; readonly retention: RetentionChoice }
  | { readonly kind: 'close' };

/** Counts of one batch, by closed sets of words. */
export interface BatchReport {
  readonly received: number;
  readonly stored: number;
  readonly sampledOut: number;
  readonly dropped: ReadonlyMap<string, number>;
  readonly flags: ReadonlyMap<string, number>;
  readonly agentKinds: ReadonlyMap<string, number>;
}

export interface StateSize {
  readonly project: string;
  readonly operations: number;
  readonly refusedOperations: number;
  readonly detectors: readonly { readonly name: string; readonly size: number; readonly refused: number }[];
}

export type FromThread =
  /** The store is open, or switched off. */
  | { readonly kind: 'ready' }
  /** It cannot be opened; the thread ends. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | {
      readonly kind: 'collected';
      readonly id: number;
      readonly deltas: readonly OperationDelta[];
      readonly report: BatchReport;
      /** Where the event store has the batch; undefined without a store. */
      readonly span: BatchSpan | undefined;
    }
  /** It can never be read, so it is thrown away. */
  | { readonly kind: 'malformed'; readonly id: number; readonly problem: string }
  /** The batch was not stored. */
  | { readonly kind: 'failed'; readonly id: number; readonly code: string; readonly retryMs: number }
  | {
      readonly kind: 'learner';
      readonly project: string;
      readonly state: Uint8Array;
      readonly places: number;
      /** Changes with the learned templates that have placeholders. */
      readonly shapes: string;
    }
  | {
      readonly kind: 'detectors';
      readonly project: string;
      readonly state: Uint8Array;
      readonly lastReset: number;
    }
  | { readonly kind: 'learners-end' }
  | {
      readonly kind: 'maintained';
      readonly expired: number;
      readonly evicted: number;
      readonly sizes: readonly StateSize[];
    }
  | { readonly kind: 'problem'; readonly what: string; readonly message: string }
  | { readonly kind: 'closed' };
