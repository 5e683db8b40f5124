import type { CallOutput, CommandName, commandRoutes } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, invalidate, routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { texts } from './texts.ts';

export type CommandResult = CallOutput<typeof commandRoutes.dispatch>['results'][number];
type Operation = CommandName extends infer Name ? (Name extends `ROUTING ${infer O}` ? O : never) : never;
type Body = Readonly<Record<string, unknown>>;

/** Reads from FRR on the client, once or again and again. */
export function useRouting(
  clientId: string,
  operation: Operation,
  { command = {}, everyMs = false }: { readonly command?: Body; readonly everyMs?: number | false } = {},
) {
  const project = useProject();
  return useApi(routes.command.dispatch, toDispatch({ project: project.id, clientId, operation, command }), {
    refetchEveryMs: () => everyMs,
  });
}

/** Returns a function that runs an operation and rejects if the client does not. */
export function useRoutingCall(clientId: string): (operation: Operation, command: Body) => Promise<unknown> {
  const project = useProject();
  const queryClient = useQueryClient();
  return async (operation, command) => {
    const { body } = await call(
      routes.command.dispatch,
      toDispatch({ project: project.id, clientId, operation, command }),
    );
    const [result] = body.results;
    if (result?.outcome !== 'done') throw toRefusal(result);
    if (operation !== 'BGP_DIFF_CONFIG') await invalidate(queryClient, routes.command.dispatch);
    return result.result;
  };
}

/** Dialogs show why the client did not do it like a refusal of the API. */
function toRefusal(result: CommandResult | undefined): ApiError {
  const { code, message } = result?.error ?? {
    code: 'command.agent',
    message: texts.answer.outcomeIs(result?.outcome ?? ''),
  };
  return new ApiError(502, { code, message, request_id: '' });
}

interface Sent {
  readonly project: string;
  readonly clientId: string;
  readonly operation: Operation;
  readonly command: Body;
}

function toDispatch({ project, clientId, operation, command }: Sent) {
  const body = { type: 'ROUTING', sub_type: operation, clients: [{ client_id: clientId }], command };
  return { query: { project }, body };
}
