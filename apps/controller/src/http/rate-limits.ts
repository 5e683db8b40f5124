import type { RateClass } from '@flotilla/contract';
import type { FastifyRequest } from 'fastify';

/** Requests per minute of one caller (a user, a token, else an address). */
const RATE_LIMITS: Record<RateClass, number | undefined> = {
  login: 20,
  read: 3000,
  write: 1200,
  command: 600,
  probe: undefined,
};

export function limitsOf(rate: RateClass, factor: number) {
  const max = RATE_LIMITS[rate];
  if (max === undefined || factor === 0) return undefined;
  return {
    max: max * factor,
    timeWindow: 60_000,
    hook: 'preValidation' as const,
    keyGenerator: (request: FastifyRequest) => {
      const actor = request.admission?.actor;
      return actor && actor.kind !== 'anonymous' ? `${rate}:${actor.kind}:${actor.id}` : `${rate}:${request.ip}`;
    },
  };
}
