import type { CommandResultRecord } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { ProjectContext } from '../../fleet/public.ts';

/** The part of the commands of the fleet that pairs use. */
export interface FleetCommands {
  undeployWithin(
    tx: Tx,
    ctx: ProjectContext,
    order: {
      readonly service: { readonly id: string; readonly name: string };
      readonly clients: ReadonlyArray<{ readonly client_id: string }>;
    },
  ): Promise<CommandResultRecord[]>;
  /** After the commit. */
  notify(results: readonly CommandResultRecord[]): void;
}
