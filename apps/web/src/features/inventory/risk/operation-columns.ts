import { useMemo } from 'react';
import { type EndpointColumn, listEndpointColumns } from '../endpoints/endpoint-columns.tsx';
import { useRiskFlags } from '../use-inventory.ts';

/** The columns of the endpoints; `shown` are those that a view needs besides the usual ones. */
export function useOperationColumns(shown: readonly string[]): readonly EndpointColumn[] {
  const flags = useRiskFlags();
  const key = shown.join(' ');
  return useMemo(() => {
    const names = key.split(' ');
    return listEndpointColumns(flags).map((column) =>
      names.includes(column.id) ? { ...column, isOptional: false } : column,
    );
  }, [flags, key]);
}
