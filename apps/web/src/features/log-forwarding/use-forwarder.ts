import type { CommandName, CommandResultRecord } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const WAIT_MS = 60_000;

export type ForwarderType = 'SYSLOG_FWD' | 'LOGSHIPPER';

/** The commands of a forwarder, and the member of their bodies with the configuration. */
export interface ForwarderCommands {
  readonly type: ForwarderType;
  readonly update: CommandName;
  readonly getStatus: string;
  readonly getConfig: string;
  readonly member: string;
}

/** Asks a host about a forwarder. */
export function useForwarderAnswer(clientId: string, type: ForwarderType, subType: string) {
  const project = useProject();
  return useApi(routes.command.dispatch, {
    query: { project: project.id },
    body: { type, sub_type: subType, clients: [{ client_id: clientId }], command: {} },
  });
}

/** Returns a function that changes the forwarder of a host. It rejects with the reason of the host. */
export function useForwarderChange(clientId: string, type: ForwarderType) {
  const project = useProject();
  const write = useWrite();
  return async (subType: string, { command = {}, done }: { command?: Record<string, unknown>; done: string }) => {
    const body = { type, sub_type: subType, clients: [{ client_id: clientId }], command };
    const query = { project: project.id, wait_ms: WAIT_MS };
    const answer = await write(routes.command.dispatch, { query, body }, { stale: [routes.command.dispatch] });
    const [result] = answer.body.results;
    if (result?.outcome !== 'done') throw new Error(explainOutcome(result));
    return done;
  };
}

export function explainOutcome(result: CommandResultRecord | undefined): string {
  return result?.error?.message ?? texts.noAnswer;
}

/** `LOGSHIPPER UPDATE_FILEBEAT_CONFIG`: the second word. */
export function subTypeOf(command: CommandName): string {
  return command.split(' ')[1] ?? '';
}
