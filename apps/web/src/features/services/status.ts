import type { ServiceCondition } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';
import { type ConditionLook, describeUnreachable, lookOf } from './condition.ts';

const text = texts.services.status;

interface Target {
  readonly deployed: boolean;
  readonly connected: boolean;
  readonly client_name: string;
}

interface Known {
  readonly condition: ServiceCondition;
  readonly targets: readonly Target[];
}

const NAMED = 5;

/** The condition of a service as a label with its reason. */
export function describeService(service: Known): ConditionLook & { readonly why: string } {
  const { state, last_known: lastKnown } = service.condition;
  const look = lookOf(state);
  return {
    ...look,
    word: state === 'unreachable' ? describeUnreachable(lastKnown) : look.word,
    why: explainCondition(service),
  };
}

function explainCondition({ condition, targets }: Known): string {
  const deployed = targets.filter((target) => target.deployed);
  const away = deployed.filter((target) => !target.connected).map((target) => target.client_name);
  switch (condition.state) {
    case 'up_to_date':
      return text.upToDate(deployed.length);
    case 'in_progress':
      return text.inProgress;
    case 'with_errors':
      return condition.reason ?? text.withErrors;
    case 'stopped':
      return text.stopped;
    case 'unreachable':
    case 'partly_unreachable': {
      const more = away.length > NAMED ? text.andMore(away.length - NAMED) : '';
      const lost = text.connectionLost(away.slice(0, NAMED).join(', '), more);
      return condition.last_known === null ? lost : `${describeUnreachable(condition.last_known)}. ${lost}`;
    }
    case 'not_deployed':
      return targets.length > 0 ? text.neverDeployed : text.noClientListed;
  }
}
