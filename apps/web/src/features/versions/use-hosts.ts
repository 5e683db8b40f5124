import type { ReleaseKind } from '@flotilla/contract';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { toHostTable } from './host-table.ts';

const CLIENTS_MAX = 1000;
const WAIT_MS = 15_000;

export const COMMAND_TYPES = {
  envoy: 'DATAPLANE_VERSION',
  waf: 'WAF_VERSION',
} as const satisfies Record<ReleaseKind, string>;

/** The releases of the archive, the versions for documents, the clients of the project, and what the connected ones answer. */
export function useHosts(kind: ReleaseKind) {
  const project = useProject();
  const releases = useApi(routes.version.releases, { query: {} });
  const clients = useApi(
    routes.fleet.clients,
    { query: { project: project.id, limit: CLIENTS_MAX } },
    { topics: ['client'] },
  );
  const versions = useApi(
    routes.version.list,
    { query: { project: project.id } },
    { topics: ['job'], enabled: kind === 'envoy' },
  );
  const connected = (clients.data?.body.items ?? []).filter((one) => one.connected);
  const answers = useApi(
    routes.command.dispatch,
    {
      query: { project: project.id, wait_ms: WAIT_MS },
      body: {
        type: COMMAND_TYPES[kind],
        clients: connected.map(({ client_id }) => ({ client_id })),
        command: { operation: 'GET_VERSIONS' },
      },
    },
    { enabled: connected.length > 0 },
  );
  const list = releases.data?.body[kind];
  const table = useMemo(() => toHostTable(answers.data?.body.results ?? [], list), [answers.data, list]);
  return { releases, versions, clients, connected, answers, table };
}

export type Hosts = ReturnType<typeof useHosts>;
