import type { CommandName, CommandResultRecord } from '@flotilla/contract';
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
  /** A command that only the routes of pairs send. */
  sendInternalWithin(
    tx: Tx,
    ctx: Pick<ProjectContext, 'now' | 'actor'>,
    order: {
      readonly project: string;
      readonly name: CommandName;
      readonly clientId: string;
      readonly body: Readonly<Record<string, unknown>>;
    },
  ): Promise<CommandResultRecord>;
  /** After the commit. Returns the outcome, or `running` after `waitMs`. */
  untilEnded(sent: CommandResultRecord, waitMs: number): Promise<CommandResultRecord>;
}
