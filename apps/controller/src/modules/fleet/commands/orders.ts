import { type CommandBody, type CommandName, selectOperation } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { parseBody } from './bodies.ts';
import { findOffers, type Offers } from './offers.ts';
import type { PlanRequest } from './plan.ts';
import { findRule } from './table.ts';
import { findClients, type NamedService } from './target-store.ts';

/** A command whose service and clients are known, to be sent outside of a request. */
export interface CommandOrder {
  readonly projectId: string;
  readonly command: Pick<CommandBody, 'type' | 'sub_type' | 'command'>;
  readonly service: NamedService | undefined;
  readonly clientIds: readonly string[];
}

/** An order with the current state of its clients and the releases that the archive offers them. */
export type PreparedOrder = Pick<PlanRequest, 'rule' | 'parsed' | 'service' | 'targets' | 'offers'>;

/** May wait for the archive. */
export async function prepareOrder(
  { db, archive }: { readonly db: Db; readonly archive: Offers },
  { projectId, command, service, clientIds }: CommandOrder,
): Promise<PreparedOrder> {
  const rule = findRule(command.type, command.sub_type, selectOperation(command.type, command.command));
  const parsed = parseBody(rule, command.command);
  const known = await findClients(db, { projectId, ids: clientIds });
  const targets = clientIds.map((clientId) => ({ clientId, client: known.get(clientId), addresses: undefined }));
  return { rule, parsed, service, targets, offers: await findOffers(archive, { rule, parsed, targets }) };
}

/** A command of the table that is sent to one client by a route of its own. */
export interface InternalOrder {
  /** Id of the project. */
  readonly project: string;
  readonly name: CommandName;
  readonly clientId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** How long to wait for the outcome. */
  readonly waitMs: number;
}

export async function findInternalTargets(
  tx: Tx,
  { project, clientId }: Pick<InternalOrder, 'project' | 'clientId'>,
): Promise<PreparedOrder['targets']> {
  const known = await findClients(tx, { projectId: project, ids: [clientId] });
  return [{ clientId, client: known.get(clientId), addresses: undefined }];
}
