import { useMemo } from 'react';
import { type EndpointColumn, listEndpointColumns } from '../endpoints/endpoint-columns.tsx';
import { useRiskFlags } from '../use-inventory.ts';

const LESS_IMPORTANT: readonly string[] = ['latency_max_ms', 'error_rate'];

/** The columns of the endpoints; `shown` are those that a view needs besides the usual ones, in the place of others. */
export function useOperationColumns(shown: readonly string[]): readonly EndpointColumn[] {
  const flags = useRiskFlags();
  const key = shown.join(' ');
  return useMemo(() => {
    const names = key.split(' ');
    return listEndpointColumns(flags).map((column) => {
      if (names.includes(column.id)) return { ...column, isOptional: false };
      return LESS_IMPORTANT.includes(column.id) ? { ...column, isOptional: true } : column;
    });
  }, [flags, key]);
}
