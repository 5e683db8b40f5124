import type { ErrorBody } from '@flotilla/contract';
import { asRecord } from './fresh-stats.ts';

export interface TargetingService {
  readonly id: string;
  readonly name: string;
}

/** The services that a refusal to remove a client names; undefined where it was refused for something else. */
export function readTargeting(body: ErrorBody): readonly TargetingService[] | undefined {
  if (body.code !== 'client.targeted') return undefined;
  const { services } = body;
  if (!Array.isArray(services)) return [];
  return services.flatMap((service: unknown) => {
    const { id, name } = asRecord(service);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}
