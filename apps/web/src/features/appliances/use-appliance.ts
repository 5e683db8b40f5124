import { type CommandResultRecord, readSupportBundles } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useHostChange, useHostQuestion } from '../../host-commands/index.ts';
import { texts } from './texts.ts';

const TYPE = 'APPLIANCE';
const WAIT_MS = 30_000;
const POLL_MS = 1500;

/** Asks a host for its status. */
export function useApplianceStatus(clientId: string) {
  return useApi(routes.command.dispatch, useHostQuestion(clientId, TYPE, 'SUB_STATUS'));
}

/** Asks a host for its bundles, and again while one is being created. */
export function useSupportBundles(clientId: string) {
  return useApi(routes.command.dispatch, useHostQuestion(clientId, TYPE, 'SUB_BUNDLE_LIST'), {
    refetchEveryMs: (answer) => {
      const bundles = readSupportBundles(answer?.results[0]?.result) ?? [];
      return bundles.some(({ state }) => state === 'RUNNING') ? POLL_MS : false;
    },
  });
}

/** Returns a function that creates or deletes a bundle. It rejects with the reason of the host. */
export function useBundleChange(clientId: string) {
  return useHostChange(clientId, { type: TYPE, waitMs: WAIT_MS, explain: explainOutcome });
}

export function explainOutcome(result: CommandResultRecord | undefined): string {
  return result?.error?.message ?? (result?.outcome === 'done' ? texts.unreadable : texts.noAnswer);
}
