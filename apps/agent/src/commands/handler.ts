import type { fleet } from '@flotilla/proto';
import type { ServiceHost } from '../host/index.ts';
import type { Network } from '../network/network.ts';
import type { CommandOutcome } from './outcome.ts';

export interface RunOptions {
  readonly host: ServiceHost;
  readonly network: Network;
  /** The command was running when an earlier agent died. */
  readonly isResumed: boolean;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The generation of the desired state that `converge` waits for. */
  readonly generation: bigint;
  readonly signal: AbortSignal;
  /** Reports a step of the command to the controller. */
  readonly onStep: (step: string, text: string) => void;
}

export type CommandHandler = (command: fleet.Command, options: RunOptions) => Promise<CommandOutcome>;
