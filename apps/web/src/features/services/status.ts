import { texts } from '../../texts/index.ts';

const text = texts.services.status;
interface Target {
  readonly deployed: boolean;
  readonly connected: boolean;
  readonly client_name: string;
}

const NAMED = 5;

/** Why a service has the status it has, in one sentence. */
export function explainStatus(status: string, targets: readonly Target[]): string {
  const deployed = targets.filter((target) => target.deployed);
  const away = deployed.filter((target) => !target.connected).map((target) => target.client_name);
  switch (status) {
    case 'Live':
      return text.allConnected(deployed.length);
    case 'Partial':
    case 'Offline':
      return text.notConnected(
        away.slice(0, NAMED).join(', '),
        away.length > NAMED ? text.andMore(away.length - NAMED) : '',
      );
    default:
      return targets.length > 0 ? text.neverDeployed : text.noClientListed;
  }
}
