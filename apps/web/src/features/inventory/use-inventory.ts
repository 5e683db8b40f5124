import type { RiskFlagEntry } from '@flotilla/contract';
import { useMemo } from 'react';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';

export interface FlagCatalogue {
  readonly flags: readonly RiskFlagEntry[];
  readonly activeDays: number | undefined;
  /** A flag that is not loaded yet, or unknown, has its own name as title. */
  readonly titleOf: (flag: string) => string;
  readonly find: (flag: string) => RiskFlagEntry | undefined;
}

/** The catalogue of risk flags, which changes only with a release. */
export function useRiskFlags(): FlagCatalogue {
  const project = useProject();
  const { data } = useApi(routes.inventory.riskFlags, { query: { project: project.id } });
  return useMemo(() => {
    const flags = data?.body.items ?? [];
    const byName = new Map<string, RiskFlagEntry>(flags.map((entry) => [entry.flag, entry]));
    return {
      flags,
      activeDays: data?.body.risk_active_days,
      titleOf: (flag) => byName.get(flag)?.title ?? flag.replaceAll('_', ' '),
      find: (flag) => byName.get(flag),
    };
  }, [data]);
}

const SERVICES_MAX = 1000;

/** The services of the project. */
export function useServices() {
  const project = useProject();
  return useApi(
    routes.fleet.services,
    { query: { project: project.id, limit: SERVICES_MAX } },
    { topics: ['service'] },
  );
}

/** The services as options of a filter. */
export function useServiceOptions(): readonly { readonly value: string; readonly label: string }[] {
  const { data } = useServices();
  return useMemo(() => data?.body.items.map(({ id, name }) => ({ value: id, label: name })) ?? [], [data]);
}

/** Returns the reason why the controller has no store of requests; undefined for other errors. */
export function whyStoreIsOff(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'inventory.store_off') return undefined;
  return error.message;
}
