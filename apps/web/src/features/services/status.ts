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
      return `All ${deployed.length} clients that run it are connected`;
    case 'Partial':
    case 'Offline':
      return `Not connected: ${away.slice(0, NAMED).join(', ')}${away.length > NAMED ? ` and ${away.length - NAMED} more` : ''}`;
    default:
      return targets.length > 0 ? 'Clients are listed, but it has not been deployed to them' : 'No client is listed';
  }
}
