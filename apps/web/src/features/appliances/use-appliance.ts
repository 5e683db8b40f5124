import { type CommandResultRecord, readSupportBundles } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const WAIT_MS = 30_000;
const POLL_MS = 1500;

/** Asks a host for its status. */
export function useApplianceStatus(clientId: string) {
  return useApi(routes.command.dispatch, useQuestion(clientId, 'SUB_STATUS'));
}

/** Asks a host for its bundles, and again while one is being created. */
export function useSupportBundles(clientId: string) {
  return useApi(routes.command.dispatch, useQuestion(clientId, 'SUB_BUNDLE_LIST'), {
    refetchEveryMs: (answer) => {
      const bundles = readSupportBundles(answer?.results[0]?.result) ?? [];
      return bundles.some(({ state }) => state === 'RUNNING') ? POLL_MS : false;
    },
  });
}

function useQuestion(clientId: string, subType: string) {
  const project = useProject();
  return {
    query: { project: project.id },
    body: { type: 'APPLIANCE', sub_type: subType, clients: [{ client_id: clientId }], command: {} },
  };
}

/** Returns a function that creates or deletes a bundle. It rejects with the reason of the host. */
export function useBundleChange(clientId: string) {
  const project = useProject();
  const write = useWrite();
  return async (subType: string, { command = {}, done }: { command?: Record<string, unknown>; done: string }) => {
    const body = { type: 'APPLIANCE', sub_type: subType, clients: [{ client_id: clientId }], command };
    const query = { project: project.id, wait_ms: WAIT_MS };
    const answer = await write(routes.command.dispatch, { query, body }, { stale: [routes.command.dispatch] });
    const [result] = answer.body.results;
    if (result?.outcome !== 'done') throw new Error(explainOutcome(result));
    return done;
  };
}

export function explainOutcome(result: CommandResultRecord | undefined): string {
  return result?.error?.message ?? (result?.outcome === 'done' ? texts.unreadable : texts.noAnswer);
}
