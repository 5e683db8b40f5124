import type { Health } from '@flotilla/contract';
import { describeUnreachable, type HealthLook, lookOf } from './health.ts';
import { texts } from './texts.tsx';

const text = texts.status;

interface Target {
  readonly deployed: boolean;
  readonly connected: boolean;
  readonly client_name: string;
}

interface Known {
  readonly health: Health;
  readonly targets: readonly Target[];
}

const NAMED = 5;

/** Describes the health of a service as a label with its reason. */
export function describeService(service: Known): HealthLook & { readonly why: string } {
  const { state, last_known: lastKnown } = service.health;
  const look = lookOf(state);
  return {
    ...look,
    word: state === 'unreachable' ? describeUnreachable(lastKnown) : look.word,
    why: explainHealth(service),
  };
}

function explainHealth({ health, targets }: Known): string {
  const deployed = targets.filter((target) => target.deployed);
  const away = deployed.filter((target) => !target.connected).map((target) => target.client_name);
  switch (health.state) {
    case 'live':
      return text.live(deployed.length);
    case 'in_progress':
      return text.inProgress;
    case 'degraded':
    case 'failed':
      return health.reasons[0]?.message ?? text.withErrors;
    case 'stopped':
      return text.stopped;
    case 'unreachable': {
      const more = away.length > NAMED ? text.andMore(away.length - NAMED) : '';
      const lost = text.connectionLost(away.slice(0, NAMED).join(', '), more);
      return health.last_known === null ? lost : `${describeUnreachable(health.last_known)}. ${lost}`;
    }
    case 'not_deployed':
      return targets.length > 0 ? text.neverDeployed : text.noClientListed;
  }
}
