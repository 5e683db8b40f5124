import type { ChoosableNode } from './choose-clients.tsx';
import type { Operation } from './operations.ts';

export interface OperationTarget {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly ChoosableNode[];
  /** Listeners that bind to the address of each client. */
  readonly clientListeners: readonly string[];
  /** IDs of assigned clients without an address for them. */
  readonly missingAddresses: readonly string[];
}

export interface OperationOrder {
  readonly operation: Operation;
  /** One service, or several at once from the list. */
  readonly targets: readonly OperationTarget[];
  /** Initially selected clients; all by default. */
  readonly chosenFirst?: readonly string[];
}
