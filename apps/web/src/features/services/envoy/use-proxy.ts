import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, invalidate, routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import type { CommandResult } from '../types.ts';
import { texts } from './texts.tsx';

/** An Envoy: the service and the client that runs it. */
export interface EnvoyPlace {
  readonly serviceId: string;
  readonly clientId: string;
  readonly clientName: string;
}

export interface ProxyRequest {
  readonly path: string;
  readonly queries?: Readonly<Record<string, string>>;
}

/** Reads a path of Envoy's admin interface, once or again and again. */
export function useProxy(
  place: EnvoyPlace,
  request: ProxyRequest,
  { everyMs = false }: { readonly everyMs?: number | false } = {},
) {
  const project = useProject();
  return useApi(routes.command.dispatch, toDispatch(project.id, place, request), {
    // A hidden page does not poll.
    refetchEveryMs: () => everyMs,
  });
}

/** Returns a function that changes the running Envoy. It rejects if Envoy or its client refuses. */
export function useProxyWrite(place: EnvoyPlace): (request: ProxyRequest) => Promise<void> {
  const project = useProject();
  const queryClient = useQueryClient();
  return async (request) => {
    const { body } = await call(routes.command.dispatch, toDispatch(project.id, place, request));
    const [result] = body.results;
    if (result?.outcome !== 'done') throw toRefusal(result);
    await invalidate(queryClient, routes.command.dispatch);
  };
}

/** The controller answered, and the client or its Envoy did not do it: dialogs show the reason like a refusal of the API. */
function toRefusal(result: CommandResult | undefined): ApiError {
  const { code, message } = result?.error ?? {
    code: 'command.agent',
    message: texts.answer.outcomeIs(result?.outcome ?? ''),
  };
  return new ApiError(502, { code, message, request_id: '' });
}

function toDispatch(project: string, { serviceId, clientId }: EnvoyPlace, { path, queries }: ProxyRequest) {
  return {
    query: { project },
    body: {
      type: 'PROXY',
      clients: [{ client_id: clientId }],
      command: { service_id: serviceId, path, ...(queries && { queries }) },
    },
  };
}

/** The body of an answer of Envoy. Undefined without one. */
export function bodyOf(result: CommandResult | undefined): unknown {
  return (result?.result as { body?: unknown } | undefined)?.body;
}
