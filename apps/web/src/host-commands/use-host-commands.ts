import type { CommandResultRecord, CommandSpec } from '@flotilla/contract';
import { routes } from '../api/index.ts';
import { useProject } from '../app/project.tsx';
import { useWrite } from '../ui/index.ts';

type HostCommandType = CommandSpec['type'];

/** The input of a request that asks one host. */
export function useHostQuestion(clientId: string, type: HostCommandType, subType: string) {
  const project = useProject();
  return { query: { project: project.id }, body: toBody(clientId, { type, subType, command: {} }) };
}

interface HostChange {
  readonly type: HostCommandType;
  readonly waitMs: number;
  /** Says why the host has not done it. */
  readonly explain: (result: CommandResultRecord | undefined) => string;
}

/** Returns a function that changes one host and resolves with `done`. It rejects with the reason of the host. */
export function useHostChange(clientId: string, { type, waitMs, explain }: HostChange) {
  const project = useProject();
  const write = useWrite();
  return async (subType: string, { command = {}, done }: { command?: Record<string, unknown>; done: string }) => {
    const input = {
      query: { project: project.id, wait_ms: waitMs },
      body: toBody(clientId, { type, subType, command }),
    };
    const answer = await write(routes.command.dispatch, input, { stale: [routes.command.dispatch] });
    const [result] = answer.body.results;
    if (result?.outcome !== 'done') throw new Error(explain(result));
    return done;
  };
}

interface Sent {
  readonly type: HostCommandType;
  readonly subType: string;
  readonly command: Record<string, unknown>;
}

function toBody(clientId: string, { type, subType, command }: Sent) {
  return { type, sub_type: subType, clients: [{ client_id: clientId }], command };
}
