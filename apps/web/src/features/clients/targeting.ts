import type { ErrorBody } from '@flotilla/contract';
import { asRecord } from './fresh-stats.ts';

export interface TargetingService {
  readonly id: string;
  readonly name: string;
}

/** Returns the services that prevent the removal of a client; undefined if the refusal has another reason. */
export function readTargeting(body: ErrorBody): readonly TargetingService[] | undefined {
  if (body.code !== 'client.targeted') return undefined;
  const { services } = body;
  if (!Array.isArray(services)) return [];
  return services.flatMap((service: unknown) => {
    const { id, name } = asRecord(service);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}
