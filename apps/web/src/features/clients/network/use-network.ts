import type { CommandResultRecord } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, invalidate, routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { sayDone } from '../../../ui/index.ts';
import { texts } from './texts.ts';

type Members = Readonly<Record<string, unknown>>;

export function useNetworkRead(clientId: string, subType: string) {
  const project = useProject();
  return useApi(routes.command.dispatch, toDispatch(project.id, { clientId, subType, command: {} }));
}

export type ChangeNetwork = (subType: string, command: Members) => Promise<void>;

/** Returns a function that changes the network of the host. It rejects if the host refuses the change or takes it back. */
export function useNetworkChange(clientId: string): ChangeNetwork {
  const project = useProject();
  const queryClient = useQueryClient();
  return async (subType, command) => {
    const { body } = await call(routes.command.dispatch, toDispatch(project.id, { clientId, subType, command }));
    const [result] = body.results;
    await invalidate(queryClient, routes.command.dispatch);
    if (result?.outcome !== 'done') throw toRefusal(result);
    sayDone(texts.done);
  };
}

function toRefusal(result: CommandResultRecord | undefined): ApiError {
  const otherwise = { code: 'command.agent', message: texts.outcomeIs(result?.outcome ?? '') };
  return new ApiError(502, { ...(result?.error ?? otherwise), request_id: '' });
}

interface Dispatch {
  readonly clientId: string;
  readonly subType: string;
  readonly command: Members;
}

function toDispatch(project: string, { clientId, subType, command }: Dispatch) {
  return {
    query: { project },
    body: { type: 'NETWORK', sub_type: subType, clients: [{ client_id: clientId }], command },
  };
}
